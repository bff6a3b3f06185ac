import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** {@code gcbench} and {@code list_alloc}: an actor is asked once and makes its objects in one message. */
final class Graphs {
  // ---- gcbench ----

  static final class Node {
    Node left, right;
    int i, j;

    Node() {}

    Node(Node left, Node right) {
      this.left = left;
      this.right = right;
    }

    /** From the top down. */
    void populate(int depth) {
      if (depth > 0) {
        left = new Node();
        right = new Node();
        left.populate(depth - 1);
        right.populate(depth - 1);
      }
    }

    static Node populated(int depth) {
      Node tree = new Node();
      tree.populate(depth);
      return tree;
    }

    /** From the bottom up. */
    static Node make(int depth) {
      return depth == 0 ? new Node() : new Node(make(depth - 1), make(depth - 1));
    }

    /** How far it is to the end, always to the left. */
    int depth() {
      int depth = 0;
      for (Node at = left; at != null; at = at.left) depth++;
      return depth;
    }

    long nodes() {
      return 1 + i + j + (left == null ? 0 : left.nodes()) + (right == null ? 0 : right.nodes());
    }
  }

  static long size(int depth) {
    return (1L << (depth + 1)) - 1;
  }

  /** How many trees there are of a depth, of either kind. */
  static long trees(int stretch, int depth) {
    return 2 * size(stretch) / size(depth);
  }

  static final class Gcbench {
    /** They stay as long as the actor. */
    Node stays;
    double[] array;

    /** The depths of all trees that do not stay, and the nodes of the one that does. */
    long go(int stretch) {
      long sum = Node.make(stretch).depth();
      stays = Node.populated(stretch - 2);
      array = new double[500_000];
      for (int at = 1; at < array.length / 2; at++) array[at] = 1.0 / at;
      for (int depth = 4; depth <= stretch - 2; depth += 2) {
        long trees = trees(stretch, depth);
        for (long left = trees; left > 0; left--) sum += Node.populated(depth).depth();
        for (long left = trees; left > 0; left--) sum += Node.make(depth).depth();
      }
      if (array[1_000] != 1.0 / 1_000) Peer.fail("the array is wrong");
      return sum + stays.nodes();
    }
  }

  static Peer.Row gcbench(Peer.Spawner spawner, int stretch) {
    long expected = stretch + size(stretch - 2), ops = size(stretch) + size(stretch - 2);
    for (int depth = 4; depth <= stretch - 2; depth += 2) {
      expected += 2 * trees(stretch, depth) * depth;
      ops += 2 * trees(stretch, depth) * size(depth);
    }
    return ask(spawner, new Gcbench()::go, stretch, ops, expected);
  }

  // ---- list_alloc ----

  record Link(long value, Link next) {}

  static final class List {
    /** It stays as long as the actor. */
    Link first;

    /** Twice the sum of all links. */
    long go(int links) {
      for (long value = 0; value < links; value++) first = new Link(value, first);
      return sum() + sum();
    }

    long sum() {
      long sum = 0;
      for (Link at = first; at != null; at = at.next) sum += at.value;
      return sum;
    }
  }

  static Peer.Row listAlloc(Peer.Spawner spawner, int links) {
    return ask(spawner, new List()::go, links, links, (long) links * (links - 1));
  }

  // ---- the question ----

  interface Work {
    long of(int number);
  }

  record Question(int number, CompletableFuture<Long> to) {}

  /** Asks a new actor, which ends with its answer. */
  static Peer.Row ask(Peer.Spawner spawner, Work work, int number, long ops, long expected) {
    Behavior<Question> once = Behaviors.receiveMessage(question -> {
      question.to.complete(work.of(question.number));
      return Behaviors.stopped();
    });
    ActorRef<Question> actor = spawner.spawn(once);
    CompletableFuture<Long> answer = new CompletableFuture<>();
    Peer.Meter meter = Peer.Meter.start();
    actor.tell(new Question(number, answer));
    return meter.stop(ops, expected, answer.join());
  }
}
