package dev.flyball.tracker.http;

import java.time.Duration;

/** When a request must be over, by the JVM's own ticker. */
record Deadline(long atNanos, Duration limit) {
  static Deadline in(Duration limit) {
    return new Deadline(System.nanoTime() + limit.toNanos(), limit);
  }

  /** The remaining time in nanoseconds, at least zero. */
  long leftNanos() {
    return Math.max(0, atNanos - System.nanoTime());
  }

  /** The limit as text. */
  String words() {
    return limit.toSeconds() > 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
  }
}
