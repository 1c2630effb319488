package dev.flyball.bench;

import java.util.Locale;

/**
 * What makes a run fail: a ratio of two figures of the same run that left its bounds. Absolute
 * times say more about the machine and its load than about this program, so they are printed only.
 */
final class Gate {
  private Gate() {}

  /** Fails unless the ratio is at least this. */
  static void atLeast(double bound, double ratio, String what) {
    check(ratio >= bound, bound, ratio, what + " at least");
  }

  /** Fails unless the ratio is at most this. */
  static void atMost(double bound, double ratio, String what) {
    check(ratio <= bound, bound, ratio, what + " at most");
  }

  private static void check(boolean kept, double bound, double ratio, String what) {
    String line = String.format(Locale.ROOT, "gate: %s %.3g, is %.3g", what, bound, ratio);
    if (!kept) {
      throw new AssertionError(line);
    }
    System.out.println("   " + line);
  }
}
