package dev.flyball.tracker.http;

import java.time.Duration;

/** When a request must be over, by the JVM's own ticker. */
record RequestDeadline(long atNanos, Duration limit) {
  static RequestDeadline in(Duration limit) {
    return new RequestDeadline(System.nanoTime() + limit.toNanos(), limit);
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
