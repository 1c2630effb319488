package dev.flyball.producer.breaker;

import java.time.Duration;

/**
 * When polls of a failing tracker are paused, and for how long.
 *
 * @param failures {@code breaker.failures}: failed polls in a row that open the breaker
 * @param open {@code breaker.open}: how long it stays open
 */
public record BreakerLimits(int failures, Duration open) {
  /** The limits unless configured. */
  public static final BreakerLimits DEFAULT = new BreakerLimits(3, Duration.ofMinutes(5));

  public BreakerLimits {
    if (failures < 1) {
      throw new IllegalArgumentException("breaker.failures " + failures + " must be above 0");
    }
    if (!open.isPositive()) {
      throw new IllegalArgumentException("breaker.open " + open + " must be above 0");
    }
  }
}
