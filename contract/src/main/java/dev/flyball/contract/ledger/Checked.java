package dev.flyball.contract.ledger;

import org.jspecify.annotations.Nullable;

/** What every entry must hold; an entry that breaks it is unreadable and has no effect. */
final class Checked {
  /**
   * A billion dollars, or 10^15 tokens: far above every truth, and sums of millions of them do not
   * overflow.
   */
  static final long MOST = 1_000_000_000_000_000L;

  private Checked() {}

  static void present(@Nullable Object value, String name) {
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
  }

  static void atLeast(long least, long value, String name) {
    if (value < least) {
      throw new IllegalArgumentException(
          name + " is " + value + ", at least " + least + " is allowed");
    }
  }

  static void amount(long value, String name) {
    if (value < 0 || value > MOST) {
      throw new IllegalArgumentException(name + " is " + value + ", allowed is 0 to " + MOST);
    }
  }
}
