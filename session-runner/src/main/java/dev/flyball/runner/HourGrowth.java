package dev.flyball.runner;

import java.time.Duration;
import java.util.ArrayDeque;

/** How much a figure has grown within the last hour, from a sample a minute. Any thread. */
final class HourGrowth {
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final long HOUR = Duration.ofHours(1).toNanos();

  private final ArrayDeque<Sample> kept = new ArrayDeque<>();
  private double newest;

  private record Sample(double value, long nanos) {}

  /** The figure as it is now. */
  synchronized void sample(double value, long nowNanos) {
    newest = value;
    if (kept.isEmpty() || nowNanos - kept.getLast().nanos() >= MINUTE) {
      kept.add(new Sample(value, nowNanos));
    }
    while (nowNanos - kept.getFirst().nanos() > HOUR) {
      kept.removeFirst();
    }
  }

  /** Now less an hour ago, or less the first sample while there is no older one. */
  synchronized double growth() {
    return kept.isEmpty() ? 0 : newest - kept.getFirst().value();
  }
}
