import com.sun.management.OperatingSystemMXBean;
import com.typesafe.config.ConfigFactory;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.StashBuffer;

/**
 * {@code bndbuffer} and {@code logmap} for Pekko's typed actors. The buffer keeps the addresses of those that must wait; a series
 * stashes requests while it waits. Sizes and arithmetic are those of our own benches. Each workload, those of {@link Graphs},
 * {@link Store} and {@link Texts} too, runs several times in one machine, and the last counts.
 */
public final class Peer {
  static final int PLACES = 50, PRODUCERS = 40, CONSUMERS = 40, ITEMS = 1_000, SERIES = 10, TERMS = 25_000, RUNS = 5;

  // ---- arithmetic ----

  /** The work for an item: logarithms of the numbers of Savina's generator. */
  static double worked(double term, long cost) {
    long state = cost;
    double sum = 0;
    for (long left = Math.max(cost * 100, 1); left > 0; left--) {
      state = (state * 1_309 + 13_849) & 65_535;
      sum += Math.log(1.0 / (state + 1) + 0.01);
    }
    return term + sum;
  }

  /** An item, which is negative, as a number that adds up to the same in any order. */
  static long thousandths(double item) {
    return Math.round(item * -1_000);
  }

  static long sumOfItems(long cost) {
    double item = 0;
    long sum = 0;
    for (int at = 0; at < ITEMS; at++) {
      item = worked(item, cost);
      sum += thousandths(item);
    }
    return PRODUCERS * sum;
  }

  static double next(double rate, double term) {
    return rate * term * (1 - term);
  }

  static double sumOfTerms() {
    double sum = 0;
    for (int series = 0; series < SERIES; series++) {
      double rate = 3.46 + series * 0.0025, term = series * 0.0025;
      for (int at = 0; at < TERMS; at++) term = next(rate, term);
      sum += term;
    }
    return sum;
  }

  // ---- bndbuffer ----

  sealed interface ToBuffer permits Put, Take {}
  record Put(double item, ActorRef<Stored> from) implements ToBuffer {}
  record Take(ActorRef<Taken> from) implements ToBuffer {}
  record Taken(double item) {}
  enum Stored { STORED }

  static final class Buffer {
    final ArrayDeque<Double> items = new ArrayDeque<>();
    final ArrayDeque<Put> puts = new ArrayDeque<>();
    final ArrayDeque<Take> takes = new ArrayDeque<>();

    static Behavior<ToBuffer> make() {
      return Behaviors.setup(c -> {
        Buffer buffer = new Buffer();
        return Behaviors.receive(ToBuffer.class)
            .onMessage(Put.class, buffer::put)
            .onMessage(Take.class, buffer::take)
            .build();
      });
    }

    Behavior<ToBuffer> put(Put put) {
      if (!takes.isEmpty()) takes.poll().from.tell(new Taken(put.item));
      else if (items.size() < PLACES) items.add(put.item);
      else {
        puts.add(put);
        return Behaviors.same();
      }
      put.from.tell(Stored.STORED);
      return Behaviors.same();
    }

    Behavior<ToBuffer> take(Take take) {
      if (items.isEmpty()) {
        takes.add(take);
        return Behaviors.same();
      }
      take.from.tell(new Taken(items.poll()));
      if (!puts.isEmpty()) {
        Put put = puts.poll();
        items.add(put.item);
        put.from.tell(Stored.STORED);
      }
      return Behaviors.same();
    }
  }

  static Behavior<Stored> producer(ActorRef<ToBuffer> buffer, long cost) {
    return Behaviors.setup(c -> new Object() {
      double item = 0;
      int left = ITEMS;

      Behavior<Stored> produce() {
        if (left-- == 0) return Behaviors.stopped();
        item = worked(item, cost);
        buffer.tell(new Put(item, c.getSelf()));
        return Behaviors.same();
      }

      Behavior<Stored> start() {
        c.getSelf().tell(Stored.STORED);
        return Behaviors.receiveMessage(stored -> produce());
      }
    }.start());
  }

  /** Tells {@code done} the sum of the items. */
  static Behavior<Taken> consumer(ActorRef<ToBuffer> buffer, long cost, CompletableFuture<Long> done) {
    return Behaviors.setup(c -> new Object() {
      long sum = 0;
      double result = 0;
      int left = ITEMS;

      Behavior<Taken> taken(Taken taken) {
        sum += thousandths(taken.item);
        result = worked(result + taken.item, cost);
        if (--left > 0) {
          buffer.tell(new Take(c.getSelf()));
          return Behaviors.same();
        }
        // So that the work is not found to be for nothing.
        if (Double.isNaN(result)) sum = 0;
        done.complete(sum);
        return Behaviors.stopped();
      }

      Behavior<Taken> start() {
        buffer.tell(new Take(c.getSelf()));
        return Behaviors.receiveMessage(this::taken);
      }
    }.start());
  }

  static Row bndbuffer(Spawner spawner, long cost) {
    long expected = sumOfItems(cost);
    Meter meter = Meter.start();
    ActorRef<ToBuffer> buffer = spawner.spawn(Buffer.make());
    List<CompletableFuture<Long>> consumed = new ArrayList<>();
    for (int at = 0; at < CONSUMERS; at++) {
      consumed.add(new CompletableFuture<>());
      spawner.spawn(consumer(buffer, cost, consumed.get(at)));
    }
    for (int at = 0; at < PRODUCERS; at++) spawner.spawn(producer(buffer, cost));
    long sum = 0;
    for (CompletableFuture<Long> each : consumed) sum += each.join();
    return meter.stop(PRODUCERS * ITEMS, expected, sum);
  }

  // ---- logmap ----

  record Compute(double term, ActorRef<ToSeries> from) {}
  sealed interface ToSeries permits NextTerm, Computed, Term {}
  record NextTerm() implements ToSeries {}
  record Computed(double term) implements ToSeries {}
  record Term(ActorRef<Answer> from) implements ToSeries {}
  sealed interface ToMaster permits Sum, Answer {}
  record Sum(CompletableFuture<Double> to) implements ToMaster {}
  record Answer(int series, double term) implements ToMaster {}

  static Behavior<Compute> computer(double rate) {
    return Behaviors.receiveMessage(m -> {
      m.from.tell(new Computed(next(rate, m.term)));
      return Behaviors.same();
    });
  }

  static final class Series {
    final ActorContext<ToSeries> context;
    final StashBuffer<ToSeries> stash;
    final ActorRef<Compute> computer;
    final int number;
    final Behavior<ToSeries> ready, waits;
    double term;

    Series(ActorContext<ToSeries> context, StashBuffer<ToSeries> stash, int number, ActorRef<Compute> computer) {
      this.context = context;
      this.stash = stash;
      this.computer = computer;
      this.number = number;
      term = number * 0.0025;
      ready = Behaviors.receive(ToSeries.class)
          .onMessage(NextTerm.class, m -> compute())
          .onMessage(Term.class, this::answer)
          .build();
      waits = Behaviors.receive(ToSeries.class)
          .onMessage(Computed.class, this::computed)
          .onAnyMessage(this::stashed)
          .build();
    }

    static Behavior<ToSeries> make(int number, ActorRef<Compute> computer) {
      return Behaviors.setup(c -> Behaviors.withStash(TERMS + 1, stash -> new Series(c, stash, number, computer).ready));
    }

    Behavior<ToSeries> compute() {
      computer.tell(new Compute(term, context.getSelf()));
      return waits;
    }

    Behavior<ToSeries> computed(Computed computed) {
      term = computed.term;
      return stash.unstash(ready, 1, message -> message);
    }

    Behavior<ToSeries> stashed(ToSeries message) {
      stash.stash(message);
      return Behaviors.same();
    }

    Behavior<ToSeries> answer(Term asked) {
      asked.from.tell(new Answer(number, term));
      return Behaviors.same();
    }
  }

  static Behavior<ToMaster> master(List<ActorRef<ToSeries>> all) {
    return Behaviors.setup(c -> new Object() {
      final double[] terms = new double[all.size()];
      int missing = all.size();
      CompletableFuture<Double> to;

      Behavior<ToMaster> sum(Sum sum) {
        to = sum.to;
        for (int at = 0; at < TERMS; at++) for (ActorRef<ToSeries> series : all) series.tell(new NextTerm());
        for (ActorRef<ToSeries> series : all) series.tell(new Term(c.getSelf().narrow()));
        return Behaviors.same();
      }

      Behavior<ToMaster> answer(Answer answer) {
        terms[answer.series] = answer.term;
        if (--missing > 0) return Behaviors.same();
        double sum = 0;
        for (double term : terms) sum += term;
        to.complete(sum);
        return Behaviors.stopped();
      }

      Behavior<ToMaster> start() {
        return Behaviors.receive(ToMaster.class)
            .onMessage(Sum.class, this::sum)
            .onMessage(Answer.class, this::answer)
            .build();
      }
    }.start());
  }

  static Row logmap(Spawner spawner) {
    long expected = Math.round(sumOfTerms() * 1e12);
    List<ActorRef<ToSeries>> all = new ArrayList<>();
    for (int at = 0; at < SERIES; at++) all.add(spawner.spawn(Series.make(at, spawner.spawn(computer(3.46 + at * 0.0025)))));
    ActorRef<ToMaster> master = spawner.spawn(master(all));
    CompletableFuture<Double> sum = new CompletableFuture<>();
    Meter meter = Meter.start();
    master.tell(new Sum(sum));
    return meter.stop(SERIES * TERMS, expected, Math.round(sum.join() * 1e12));
  }

  // ---- the program ----

  /** What a run took, of the clock and of all processors, what came out, and words that only this workload has. */
  record Row(double wall, double cpu, long ops, long check, String own) {}

  /** Nanoseconds of the clock and of all threads' processors, those of the machine's own too. */
  record Meter(long wall, long cpu) {
    static final OperatingSystemMXBean SYSTEM = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    static Meter start() {
      return new Meter(System.nanoTime(), SYSTEM.getProcessCpuTime());
    }

    /** The row, if the result is right. */
    Row stop(long ops, long expected, long got) {
      Meter now = start();
      if (got != expected) fail("wrong result: it must be " + expected + " and is " + got);
      return new Row((now.wall - wall) / 1e9, (now.cpu - cpu) / 1e9, ops, got, "");
    }
  }

  static void fail(String why) {
    System.err.println(why);
    System.exit(1);
  }

  /** The guardian makes actors for main. */
  interface Wish {
    void grant(ActorContext<Wish> context);
  }

  record Spawner(ActorSystem<Wish> system) {
    <T> ActorRef<T> spawn(Behavior<T> behavior) {
      CompletableFuture<ActorRef<T>> made = new CompletableFuture<>();
      system.tell(context -> made.complete(context.spawnAnonymous(behavior)));
      return made.join();
    }
  }

  /** The workloads, by how many words call them. */
  static final Map<String, Integer> WORDS = Map.of(
      "bndbuffer", 3, "logmap", 2, "gcbench", 3, "list_alloc", 3, "kv_store", 6, "text_search", 5, "edit_distance", 5,
      "lru_cache", 6);

  static Row run(Spawner spawner, String[] words) {
    return switch (words[0]) {
      case "bndbuffer" -> bndbuffer(spawner, Long.parseLong(words[2]));
      case "logmap" -> logmap(spawner);
      case "kv_store" -> Store.run(spawner, words);
      case "text_search", "edit_distance" -> Texts.run(spawner, words);
      case "gcbench" -> Graphs.gcbench(spawner, Integer.parseInt(words[2]));
      default -> Graphs.listAlloc(spawner, Integer.parseInt(words[2]));
    };
  }

  public static void main(String[] words) {
    if (words.length == 0 || WORDS.getOrDefault(words[0], 0) != words.length) {
      System.err.println("usage: bndbuffer THREADS COST | logmap THREADS | gcbench THREADS DEPTH | list_alloc THREADS LINKS"
          + " | kv_store THREADS chunks|single ENTRIES OPERATIONS FORCED"
          + " | text_search THREADS SHARDS EVERY FORCED | edit_distance THREADS STRINGS LETTERS FORCED"
          + " | lru_cache PORT CAPACITY TITLES PAGE_BYTES SEED");
      System.exit(2);
    }
    if (words[0].equals("lru_cache")) {
      int[] sizes = Arrays.stream(words).skip(1).mapToInt(Integer::parseInt).toArray();
      Cache.serve(sizes[0], sizes[1], sizes[2], new Pages(sizes[4], sizes[3]));
      return;
    }
    String pool = "pekko.actor.default-dispatcher.fork-join-executor";
    String threads = "{ parallelism-min = %1$s, parallelism-max = %1$s }".formatted(words[1]);
    Behavior<Wish> guardian = Behaviors.setup(context -> Behaviors.receiveMessage(wish -> {
      wish.grant(context);
      return Behaviors.same();
    }));
    var config = ConfigFactory.parseString(pool + " " + threads + "\npekko.log-dead-letters = off").withFallback(ConfigFactory.load());
    ActorSystem<Wish> system = ActorSystem.create(guardian, "peer", config);
    Spawner spawner = new Spawner(system);
    Row row = null;
    // What is large runs once to warm the machine up.
    int runs = words.length > 3 ? 2 : RUNS;
    for (int run = 0; run < runs; run++) {
      // So that no run collects what another has left.
      System.gc();
      row = run(spawner, words);
    }
    System.out.printf(Locale.ROOT, "%s %.6f %d %d cpu_s=%.6f%s%n", words[0], row.wall, row.ops, row.check, row.cpu, row.own);
    system.terminate();
  }
}
