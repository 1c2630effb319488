package dev.flyball.containment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Time since the machine booted, suspended time included, in centiseconds: the clock that a deadman
 * and its runner share. The monotonic clock stops while the machine sleeps, so it would let a tree
 * outlive its lease.
 */
public final class BootClock {
  private static final Path UPTIME = Path.of("/proc/uptime");

  private BootClock() {}

  /** Time since boot, to 10 ms. */
  public static Duration sinceBoot() {
    return Duration.ofMillis(centis() * 10);
  }

  /** Centiseconds since boot. */
  public static long centis() {
    try {
      String text = Files.readString(UPTIME);
      String seconds = text.substring(0, text.indexOf(' '));
      int dot = seconds.indexOf('.');
      return Long.parseLong(seconds.substring(0, dot)) * 100
          + Long.parseLong(seconds.substring(dot + 1));
    } catch (IOException e) {
      throw new UncheckedIOException("/proc/uptime cannot be read; mount /proc", e);
    }
  }

  /** Converts a time since boot to the deadman's units, rounded so that it is never later. */
  public static long centisOf(Duration sinceBoot) {
    return Math.floorDiv(sinceBoot.toMillis(), 10);
  }
}
