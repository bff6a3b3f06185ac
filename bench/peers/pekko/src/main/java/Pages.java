import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Pages and popularity, as examples/cache has them. */
record Pages(long seed, double mean) {
  /** A generator of numbers: wyrand. */
  static final class Chance {
    long state;

    Chance(long seed) {
      state = seed;
    }

    long next() {
      state += 0x2d358dccaa6c78a5L;
      long other = state ^ 0x8bb84b93962eacc9L;
      return state * other ^ high(state, other);
    }

    /** The high half of a product of numbers without a sign. */
    private static long high(long one, long other) {
      return Math.multiplyHigh(one, other) + (one >> 63 & other) + (other >> 63 & one);
    }

    /** From 0 to below 1. */
    double share() {
      double share;
      do share = (next() >>> 1) * 0x1p-63;
      while (share >= 1);
      return share;
    }
  }

  // ---- pages ----

  private static final byte[][] WORDS = Arrays.stream(
      ("river of the a in was is for station village century north south album first species known as family district"
          + " football born by county season from and film railway church he population").split(" "))
      .map(Pages::bytes).toArray(byte[][]::new);
  private static final byte[] PARAGRAPH = bytes("</p><p>"), END = bytes("</p></body></html>");
  private static final byte[] LINK = bytes("<a href=\"/"), TEXT = bytes("\">"), LINKED = bytes("</a> ");

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The page of a title. */
  byte[] render(long title) {
    Chance chance = new Chance(seed ^ title * 0x9e3779b97f4a7c15L);
    Html html = new Html(size(chance));
    String number = Long.toString(title);
    html.add(bytes("<!DOCTYPE html><html><head><title>Page " + number + "</title></head><body><h1>Page " + number + "</h1><p>"));
    for (int words = 1; !html.isLong(); words++) {
      if (words % 60 == 0) html.add(PARAGRAPH);
      long word = chance.next() & 0xffff_ffffL;
      byte[] text = WORDS[(int) (word % 32)];
      if (word / 32 % 40 == 0) {
        html.add(LINK);
        html.add(bytes(Long.toString(word >> 12)));
        html.add(TEXT);
        html.add(text);
        html.add(LINKED);
      } else {
        html.add(text);
        html.add((byte) ' ');
      }
    }
    html.add(END);
    return html.done();
  }

  /** Of an exponential distribution above the least. */
  private int size(Chance chance) {
    double more = mean - Math.min(256, mean);
    return (int) Math.min(mean - more - more * Math.log(1 - chance.share()), mean * 8);
  }

  /** A page that is being written. */
  private static final class Html {
    final int size;
    byte[] all;
    int length;

    Html(int size) {
      this.size = size;
      all = new byte[size + 64];
    }

    boolean isLong() {
      return length >= size;
    }

    void add(byte letter) {
      if (length == all.length) all = Arrays.copyOf(all, 2 * length);
      all[length++] = letter;
    }

    void add(byte[] text) {
      if (length + text.length > all.length) all = Arrays.copyOf(all, 2 * (length + text.length));
      System.arraycopy(text, 0, all, length, text.length);
      length += text.length;
    }

    byte[] done() {
      return Arrays.copyOf(all, length);
    }
  }

  // ---- popularity ----

  /** Which titles are asked for, how often. */
  static final class Popularity {
    /** Views of each rank and all before it. */
    final long[] sums;
    final long factor;

    Popularity(int titles) {
      sums = new long[titles];
      long sum = 0;
      for (int at = 0; at < titles; at++) sums[at] = sum += Math.max(6, Math.min(1000, 100_000 / (at + 1)));
      long factor = 0x9e3779b1L % titles;
      while (gcd(factor, titles) != 1) factor++;
      this.factor = factor;
    }

    /** A title: the popular ones are not beside each other. */
    long draw(Chance chance) {
      int titles = sums.length;
      long view = Long.remainderUnsigned(chance.next(), sums[titles - 1]);
      int rank = Arrays.binarySearch(sums, view);
      // The first whose sum is larger.
      return (rank < 0 ? -rank - 1 : rank + 1) * factor % titles;
    }

    private static long gcd(long a, long b) {
      return b == 0 ? a : gcd(b, a % b);
    }
  }
}
