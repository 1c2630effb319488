package dev.flyball.streams;

import java.time.Duration;

/**
 * Decides how long a stream thread that died waits before it is replaced: twice as long after each
 * death in a row. Deaths that are far apart have separate causes, so a thread that lived for long
 * begins a new row. Pure; one thread at a time.
 */
final class ThreadDeaths {
  private static final long FIRST_MS = 200;
  private static final long LONGEST_MS = 10_000;
  private static final int MOST_DOUBLED = 6;

  /** Well above the longest pause and the time that restoring stores takes. */
  private static final long ROW_NANOS = Duration.ofMinutes(10).toNanos();

  private int row;
  private long lastNanos;

  /**
   * Records one more death.
   *
   * @param nowNanos from a clock that is never set
   * @return milliseconds to wait
   */
  long died(long nowNanos) {
    row = row > 0 && nowNanos - lastNanos < ROW_NANOS ? row + 1 : 1;
    lastNanos = nowNanos;
    return Math.min(FIRST_MS << Math.min(row - 1, MOST_DOUBLED), LONGEST_MS);
  }

  /** Deaths in the present row. */
  int row() {
    return row;
  }
}
