import java.util.Arrays;
import java.util.HashMap;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** {@code text_search} and {@code edit_distance}: an actor has an index, or tries. Texts, questions and sums are those of our own benches. */
final class Texts {
  static final int DOCUMENTS = 1_000, WORDS = 200_000, OF_DOCUMENT = 60, QUESTIONS = 10, BEST = 1_000;

  // ---- text_search ----

  /** A word by chance: the one of rank r comes about as often as 1/r. */
  static int word(long number) {
    long chance = Store.mixed(number), octave = 1L << (chance >> 40) % 18;
    return (int) ((octave + (chance & 0xFF_FFFF_FFFFL) % octave - 1) % WORDS);
  }

  record Posting(long document, int count, Posting next) {}

  static final class Index {
    final HashMap<Integer, Posting> postings = new HashMap<>();

    long shard(long shard) {
      long made = 0;
      HashMap<Integer, Integer> counts = new HashMap<>();
      for (long document = shard * DOCUMENTS; document < (shard + 1) * DOCUMENTS; document++) {
        counts.clear();
        for (int at = 0; at < OF_DOCUMENT; at++) counts.merge(word(document * OF_DOCUMENT + at), 1, Integer::sum);
        for (var entry : counts.entrySet()) {
          postings.put(entry.getKey(), new Posting(document, entry.getValue(), postings.get(entry.getKey())));
        }
        made += counts.size();
      }
      return made;
    }

    /** The sum of the best scores. */
    long ask(long question) {
      HashMap<Long, Integer> scores = new HashMap<>();
      for (int at = 0; at < 2; at++) {
        Posting posting = postings.get(word((1L << 40) + question * 2 + at));
        for (; posting != null; posting = posting.next) scores.merge(posting.document, posting.count, Integer::sum);
      }
      PriorityQueue<Integer> best = new PriorityQueue<>();
      for (int score : scores.values()) {
        best.add(score);
        if (best.size() > BEST) best.poll();
      }
      return best.stream().mapToLong(score -> score).sum();
    }
  }

  enum What { SHARD, ASK, END }

  record Wish(What what, long number, CompletableFuture<Long> answer) {}

  static Behavior<Wish> index(Store.Times times) {
    return Behaviors.setup(context -> {
      Index index = new Index();
      return Behaviors.receiveMessage(wish -> {
        long answer = switch (wish.what) {
          case SHARD -> index.shard(wish.number);
          case ASK -> index.ask(wish.number);
          case END -> 0;
        };
        if (wish.what != What.END) times.one();
        wish.answer.complete(answer);
        return wish.what == What.END ? Behaviors.stopped() : Behaviors.same();
      });
    });
  }

  static long wish(ActorRef<Wish> index, What what, long number) {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    index.tell(new Wish(what, number, answer));
    return answer.join();
  }

  static Peer.Row search(Peer.Spawner spawner, int shards, int every, int forced) {
    Store.Times times = new Store.Times(shards + shards / every * QUESTIONS);
    ActorRef<Wish> index = spawner.spawn(index(times));
    AtomicInteger ended = new AtomicInteger();
    Store.Force force = new Store.Force(new Store.Size(true, 0, shards, forced), ended);
    Peer.Meter meter = Peer.Meter.start();
    long made = 0, sum = 0, asked = 0;
    for (int shard = 0; shard < shards; shard++) {
      if (shard > 0 && shard % every == 0) {
        for (int at = 0; at < QUESTIONS; at++) sum += wish(index, What.ASK, asked++);
      }
      made += wish(index, What.SHARD, shard);
      force.past(shard);
    }
    Peer.Row row = row(meter, made, sum, times, ended.get());
    wish(index, What.END, 0);
    return row;
  }

  /** The first time is left out, for nobody said when it began. */
  static Peer.Row row(Peer.Meter meter, long ops, long sum, Store.Times times, int full) {
    Peer.Row row = meter.stop(ops, sum, sum);
    return new Peer.Row(row.wall(), row.cpu(), ops, sum, times.quantiles(1) + " full=" + full);
  }

  // ---- edit_distance ----

  /** Letters are four, by chance. */
  static byte[] letters(long number, int count) {
    byte[] letters = new byte[count];
    for (int at = 0; at < count; at++) letters[at] = (byte) (Store.mixed(number << 32 | at) >> 20 & 3);
    return letters;
  }

  static final class Trie {
    Long value;
    Trie zero, one;
  }

  static final class Pair {
    final byte[] left, right;
    final Trie known = new Trie();
    final int width;
    long found;

    Pair(byte[] left, byte[] right) {
      this.left = left;
      this.right = right;
      width = 32 - Integer.numberOfLeadingZeros(left.length);
    }

    /** The node of a pair of ends, which is made if it is not there. */
    Trie node(int one, int other) {
      Trie at = known;
      for (long bits = (1L << width | one) << width | other; bits > 1; bits >>= 1) {
        Trie below = (bits & 1) == 1 ? at.one : at.zero;
        if (below == null) {
          below = new Trie();
          if ((bits & 1) == 1) at.one = below;
          else at.zero = below;
        }
        at = below;
      }
      return at;
    }

    /** The distance from these places on. A value below 128 may be one that the machine has made already. */
    long distance(int one, int other) {
      Trie node = node(one, other);
      if (node.value != null) return node.value;
      long distance;
      if (one == left.length) distance = right.length - other;
      else if (other == right.length) distance = left.length - one;
      else if (left[one] == right[other]) distance = distance(one + 1, other + 1);
      else {
        long changed = distance(one + 1, other + 1), without = distance(one + 1, other);
        distance = 1 + Math.min(Math.min(changed, without), distance(one, other + 1));
      }
      found++;
      node.value = distance;
      return distance;
    }
  }

  static Peer.Row distances(Peer.Spawner spawner, int count, int size, int forced) {
    Store.Times times = new Store.Times((long) count * count);
    AtomicInteger ended = new AtomicInteger();
    Store.Force force = new Store.Force(new Store.Size(true, 0, (long) count * count, forced), ended);
    byte[][] strings = new byte[count][];
    Arrays.setAll(strings, number -> letters(number, size));
    Behavior<CompletableFuture<long[]>> actor = Behaviors.receiveMessage(done -> {
      long sum = 0, found = 0;
      for (int number = 0; number < count * count; number++) {
        Pair pair = new Pair(strings[number / count], strings[number % count]);
        sum += pair.distance(0, 0);
        found += pair.found;
        times.one();
        force.past(number);
      }
      done.complete(new long[] {sum, found});
      return Behaviors.stopped();
    });
    ActorRef<CompletableFuture<long[]>> ref = spawner.spawn(actor);
    CompletableFuture<long[]> done = new CompletableFuture<>();
    Peer.Meter meter = Peer.Meter.start();
    ref.tell(done);
    long[] both = done.join();
    return row(meter, both[1], both[0], times, ended.get());
  }

  static Peer.Row run(Peer.Spawner spawner, String[] words) {
    int one = Integer.parseInt(words[2]), other = Integer.parseInt(words[3]), forced = Integer.parseInt(words[4]);
    return words[0].equals("text_search") ? search(spawner, one, other, forced) : distances(spawner, one, other, forced);
  }
}
