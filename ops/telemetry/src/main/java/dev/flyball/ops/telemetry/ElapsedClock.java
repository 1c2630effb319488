package dev.flyball.ops.telemetry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Nanoseconds since this object was made, by the larger of the monotonic clock and the clock that
 * counts suspends too (Linux: /proc/uptime). A machine that was suspended has missed its lease
 * renewals, and the monotonic clock alone would not show that. It never goes back. Any thread.
 */
public final class ElapsedClock {
  private static final Path UPTIME = Path.of("/proc/uptime");

  private final long monotonic = System.nanoTime();
  private final long uptime = uptime();
  private final AtomicLong latest = new AtomicLong();

  /** Nanoseconds since this object was made. */
  public long nanos() {
    long byMonotonic = System.nanoTime() - monotonic;
    long now = uptime < 0 ? byMonotonic : Math.max(byMonotonic, uptime() - uptime);
    // The file may be unreadable once (an interrupted thread, no descriptor left).
    return latest.accumulateAndGet(now, Math::max);
  }

  /** Nanoseconds since boot, -1 where the system does not say. Resolution 10 ms. */
  private static long uptime() {
    try {
      String text = Files.readString(UPTIME);
      return (long) (Double.parseDouble(text.substring(0, text.indexOf(' '))) * 1e9);
    } catch (IOException | RuntimeException e) {
      return -1;
    }
  }
}
