import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** {@code kv_store}: an actor has a map of boxed numbers. Operations and sums are those of our own bench. */
final class Store {
  static final int CHUNK = 100_000, WINDOW = 64;

  /** How large a store is, how it is asked, and how often everything is collected meanwhile. */
  record Size(boolean inChunks, long entries, long operations, int forced) {
    static Size of(String[] words) {
      return new Size(
          words[2].equals("chunks"), Long.parseLong(words[3]), Long.parseLong(words[4]), Integer.parseInt(words[5]));
    }
  }

  // ---- operations ----

  static final long[] FACTORS = {284_661_031, 324_043_739, 334_161_007, 295_214_089};

  /** A number below 2^59 for one below 2^58, in no order. */
  static long mixed(long number) {
    for (long factor : FACTORS) {
      long product = (number & 0x3FFF_FFFF) * factor + (number >> 30);
      number = product ^ (product >> 29);
    }
    return number;
  }

  enum Kind {
    INSERT, DELETE, LOOK;

    static final Kind[] ALL = values();
  }

  record Operation(Kind kind, long index, long value) {
    /** Of this number: in chunks one of three, of any key; else one of two, of a key that is there. */
    static Operation of(Size size, long number) {
      long chance = mixed(number + (1L << 40)), low = chance & 0xFF_FFFF_FFFFL;
      if (size.inChunks) {
        long index = low % (2 * size.entries);
        return new Operation(Kind.ALL[(int) ((chance >> 42) % 3)], index, index + number);
      }
      long index = low % size.entries;
      return new Operation((chance >> 42 & 1) == 1 ? Kind.INSERT : Kind.LOOK, index, index + number);
    }
  }

  /** The times between completions, in nanoseconds. */
  static final class Times {
    final long[] all;
    int count;
    long last;

    Times(long operations) {
      all = new long[(int) operations];
    }

    void one() {
      long now = System.nanoTime();
      all[count++] = now - last;
      last = now;
    }

    /** In microseconds, without the first ones, as the driver reads them. */
    String quantiles(int dropped) {
      long[] counted = Arrays.copyOfRange(all, dropped, count);
      Arrays.sort(counted);
      String[] names = {"p50", "p99", "p999", "p9999", "max"};
      double[] shares = {0.5, 0.99, 0.999, 0.9999, 1};
      StringBuilder words = new StringBuilder();
      for (int at = 0; at < names.length; at++) {
        long time = counted[Math.min(counted.length - 1, (int) (shares[at] * counted.length))];
        words.append(String.format(Locale.ROOT, " %s_us=%.3f", names[at], time / 1e3));
      }
      return words.toString();
    }
  }

  // ---- the actor with the map ----

  sealed interface Request permits Load, Chunk, One, End {}
  record Load(CompletableFuture<Boolean> done) implements Request {}
  record Chunk(long from, long until, CompletableFuture<Long> found) implements Request {}
  record One(Operation operation, ActorRef<Long> client) implements Request {}
  record End(CompletableFuture<Long> left) implements Request {}

  static final class Server {
    final HashMap<Long, Long> map = new HashMap<>();
    final Size size;
    final Times times;

    Server(Size size, Times times) {
      this.size = size;
      this.times = times;
    }

    long operate(Operation operation) {
      switch (operation.kind) {
        case INSERT -> map.put(mixed(operation.index), operation.value);
        case DELETE -> map.remove(mixed(operation.index));
        case LOOK -> {
          return map.getOrDefault(mixed(operation.index), 0L);
        }
      }
      return 0;
    }

    Behavior<Request> load(Load load) {
      for (long index = 0; index < size.entries; index++) map.put(mixed(index), index);
      times.last = System.nanoTime();
      load.done.complete(true);
      return Behaviors.same();
    }

    Behavior<Request> chunk(Chunk chunk) {
      long sum = 0;
      for (long number = chunk.from; number < chunk.until; number++) sum += operate(Operation.of(size, number));
      times.one();
      chunk.found.complete(sum);
      return Behaviors.same();
    }

    Behavior<Request> one(One one) {
      one.client.tell(operate(one.operation));
      times.one();
      return Behaviors.same();
    }

    Behavior<Request> end(End end) {
      long sum = 0;
      for (long value : map.values()) sum += value;
      end.left.complete(sum);
      return Behaviors.stopped();
    }
  }

  static Behavior<Request> server(Size size, Times times) {
    return Behaviors.setup(context -> {
      Server server = new Server(size, times);
      return Behaviors.receive(Request.class)
          .onMessage(One.class, server::one)
          .onMessage(Chunk.class, server::chunk)
          .onMessage(Load.class, server::load)
          .onMessage(End.class, server::end)
          .build();
    });
  }

  // ---- who asks ----

  /** Has everything collected, so many times, at equal distances; nobody waits for it but the next one. */
  static final class Force {
    final Size size;
    final AtomicInteger ended;
    int at = 1;

    Force(Size size, AtomicInteger ended) {
      this.size = size;
      this.ended = ended;
    }

    void past(long number) {
      if (at <= size.forced && number >= size.operations * at / (size.forced + 1)) {
        at++;
        new Thread(this::collect).start();
      }
    }

    synchronized void collect() {
      System.gc();
      ended.incrementAndGet();
    }
  }

  static Behavior<Long> client(Size size, Force force, ActorRef<Request> server, CompletableFuture<Long> sum) {
    return Behaviors.setup(context -> new Object() {
      long sent, answered, found;

      void ask() {
        if (sent == size.operations) return;
        sent++;
        server.tell(new One(Operation.of(size, sent), context.getSelf()));
        force.past(sent);
      }

      Behavior<Long> behavior() {
        for (int at = 0; at < WINDOW; at++) ask();
        return Behaviors.receiveMessage(answer -> {
          found += answer;
          if (++answered == size.operations) {
            sum.complete(found);
            return Behaviors.stopped();
          }
          ask();
          return Behaviors.same();
        });
      }
    }.behavior());
  }

  /** The row has words about the times, and how many of the forced collections had ended before the last operation. */
  static Peer.Row run(Peer.Spawner spawner, String[] words) {
    Size size = Size.of(words);
    Times times = new Times(size.operations);
    ActorRef<Request> server = spawner.spawn(server(size, times));
    CompletableFuture<Boolean> loaded = new CompletableFuture<>();
    server.tell(new Load(loaded));
    loaded.join();
    AtomicInteger ended = new AtomicInteger();
    Force force = new Force(size, ended);
    Peer.Meter meter = Peer.Meter.start();
    long found = 0;
    if (size.inChunks) {
      for (long from = 1; from <= size.operations; from += CHUNK) {
        long until = Math.min(from + CHUNK, size.operations + 1);
        CompletableFuture<Long> answer = new CompletableFuture<>();
        server.tell(new Chunk(from, until, answer));
        found += answer.join();
        force.past(until);
      }
    } else {
      CompletableFuture<Long> sum = new CompletableFuture<>();
      spawner.spawn(client(size, force, server, sum));
      found = sum.join();
    }
    Peer.Meter end = Peer.Meter.start();
    int full = ended.get();
    CompletableFuture<Long> left = new CompletableFuture<>();
    server.tell(new End(left));
    long sum = found + left.join();
    String own = times.quantiles(size.inChunks ? 0 : (int) (size.operations / 5)) + " full=" + full;
    return new Peer.Row((end.wall() - meter.wall()) / 1e9, (end.cpu() - meter.cpu()) / 1e9, size.operations, sum, own);
  }
}
