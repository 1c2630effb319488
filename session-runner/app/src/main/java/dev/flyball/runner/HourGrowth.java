package dev.flyball.runner;

import java.time.Duration;
import java.util.ArrayDeque;

/**
 * Tracks how much a figure has grown within the last hour, from one sample a minute. Any thread.
 */
final class HourGrowth {
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final long HOUR = Duration.ofHours(1).toNanos();

  private final ArrayDeque<Sample> kept = new ArrayDeque<>();
  private double newest;

  private record Sample(double value, long nanos) {}

  /** Takes the figure's present value. */
  synchronized void sample(double value, long nowNanos) {
    newest = value;
    if (kept.isEmpty() || nowNanos - kept.getLast().nanos() >= MINUTE) {
      kept.add(new Sample(value, nowNanos));
    }
    while (nowNanos - kept.getFirst().nanos() > HOUR) {
      kept.removeFirst();
    }
  }

  /**
   * Returns the present value less the value an hour ago, or less the first sample while no older
   * one exists.
   */
  synchronized double growth() {
    return kept.isEmpty() ? 0 : newest - kept.getFirst().value();
  }
}
