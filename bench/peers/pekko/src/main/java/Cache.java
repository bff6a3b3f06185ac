import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** {@code lru_cache}: an actor has a map in the order in which pages were asked for; the JDK's server asks it. Pages are those of examples/cache. */
final class Cache {
  static final Duration PATIENCE = Duration.ofSeconds(5);
  static final int HANDLERS = 64;

  record Get(long title, ActorRef<Served> client) {}
  record Served(byte[] html, String found) {}

  final LinkedHashMap<Long, byte[]> pages = new LinkedHashMap<>(16, 0.75f, true);
  final int capacity;
  final Pages all;

  Cache(int capacity, Pages all) {
    this.capacity = capacity;
    this.all = all;
  }

  /** A page that is not there is rendered in the same turn, so that nobody renders it twice. */
  Served get(long title) {
    byte[] html = pages.get(title);
    if (html != null) return new Served(html, "hit");
    if (pages.size() >= capacity) {
      Iterator<Long> oldest = pages.keySet().iterator();
      oldest.next();
      oldest.remove();
    }
    html = all.render(title);
    pages.put(title, html);
    return new Served(html, "miss");
  }

  /** Asks for titles until the cache is full, and for half as many again. */
  void fill(int titles) {
    Pages.Popularity popularity = new Pages.Popularity(titles);
    Pages.Chance chance = new Pages.Chance(all.seed());
    while (pages.size() < Math.min(capacity, titles)) get(popularity.draw(chance));
    for (int more = capacity / 2; more > 0; more--) get(popularity.draw(chance));
  }

  static Behavior<Get> make(int capacity, int titles, Pages all, Runnable filled) {
    return Behaviors.setup(context -> {
      Cache cache = new Cache(capacity, all);
      cache.fill(titles);
      filled.run();
      return Behaviors.receiveMessage(get -> {
        get.client.tell(cache.get(get.title));
        return Behaviors.same();
      });
    });
  }

  // ---- the server ----

  static void answer(ActorSystem<Get> system, HttpExchange exchange) throws IOException {
    if (exchange.getRequestURI().getPath().equals("/_collect")) {
      System.gc();
      exchange.sendResponseHeaders(200, -1);
      return;
    }
    long title;
    try {
      title = Long.parseUnsignedLong(exchange.getRequestURI().getPath().substring(1));
    } catch (NumberFormatException notPage) {
      exchange.sendResponseHeaders(404, -1);
      return;
    }
    Served served = AskPattern.<Get, Served>ask(system, client -> new Get(title, client), PATIENCE, system.scheduler())
        .toCompletableFuture().join();
    exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
    exchange.getResponseHeaders().set("x-cache", served.found);
    exchange.sendResponseHeaders(200, served.html.length);
    // Only the body is closed: the exchange would take the connection with it.
    try (OutputStream body = exchange.getResponseBody()) {
      body.write(served.html);
    }
  }

  /** How often everything was collected, if the machine counts that: G1's concurrent cycles it counts from version 20 on. */
  static OptionalLong collections() {
    Set<String> full = Set.of("G1 Concurrent GC", "ZGC Cycles");
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .filter(it -> full.contains(it.getName()))
        .mapToLong(GarbageCollectorMXBean::getCollectionCount).reduce(Long::sum);
  }

  /** Serves until it is told to end, and says then how often everything was collected. */
  static void serve(int port, int capacity, int titles, Pages all) {
    // An answer must not wait for the acknowledgement of the one before.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    var config = ConfigFactory.parseString("pekko.log-dead-letters = off").withFallback(ConfigFactory.load());
    CountDownLatch filled = new CountDownLatch(1);
    ActorSystem<Get> system = ActorSystem.create(make(capacity, titles, all, filled::countDown), "cache", config);
    try {
      filled.await();
      HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
      server.createContext("/", exchange -> answer(system, exchange));
      server.setExecutor(Executors.newFixedThreadPool(HANDLERS));
      server.start();
    } catch (IOException | InterruptedException wrong) {
      Peer.fail("lru_cache: " + wrong);
    }
    OptionalLong before = collections();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      collections().ifPresent(now -> System.out.println("full=" + (now - before.getAsLong())));
      // It was told to end: that is no failure.
      Runtime.getRuntime().halt(0);
    }));
    System.out.println("ready");
  }
}
