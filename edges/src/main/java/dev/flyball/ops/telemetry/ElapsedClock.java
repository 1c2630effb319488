package dev.flyball.ops.telemetry;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Nanoseconds since this object was made, by the larger of the monotonic clock and the clock that
 * counts suspends too (Linux: /proc/uptime). A machine that was suspended has missed its lease
 * renewals, and the monotonic clock alone would not show that. It never goes back. Any thread.
 */
public final class ElapsedClock {
  private static final String UPTIME = "/proc/uptime";

  /**
   * Stays open: a runner asks some thousand times a second, and to open the file each time took a
   * tenth of its ledger's thread. Not a channel, which the interrupt of a thread that reads it
   * would close. Null where there is no such file.
   */
  private final @Nullable RandomAccessFile file = opened();

  private final long monotonic = System.nanoTime();
  private final long uptime = uptime();
  private final AtomicLong latest = new AtomicLong();

  /** Nanoseconds since this object was made. */
  public long nanos() {
    long byMonotonic = System.nanoTime() - monotonic;
    long now = uptime < 0 ? byMonotonic : Math.max(byMonotonic, uptime() - uptime);
    return latest.accumulateAndGet(now, Math::max);
  }

  /** Nanoseconds since boot, -1 where the system does not say. Resolution 10 ms. */
  private long uptime() {
    RandomAccessFile from = file;
    if (from == null) {
      return -1;
    }
    var bytes = new byte[64];
    int length;
    try {
      synchronized (from) {
        from.seek(0);
        length = from.read(bytes);
      }
      var text = new String(bytes, 0, length, StandardCharsets.US_ASCII);
      return (long) (Double.parseDouble(text.substring(0, text.indexOf(' '))) * 1e9);
    } catch (IOException | RuntimeException e) {
      return -1;
    }
  }

  private static @Nullable RandomAccessFile opened() {
    try {
      return new RandomAccessFile(UPTIME, "r");
    } catch (IOException e) {
      return null;
    }
  }
}
