package dev.flyball.producer.breaker;

import dev.flyball.contract.config.ConfigKey;
import java.time.Duration;

/** When polls of a failing tracker are paused, and for how long. */
public record BreakerLimits(
    @ConfigKey(
            name = "breaker.failures",
            from = 1,
            to = 1000,
            meaning =
                "Failed polls in a row after which a tracker is paused; its rate limit"
                    + " does not count (no effect on jsonl)")
        int failures,
    @ConfigKey(
            name = "breaker.open",
            meaning =
                "How long a failing tracker is paused before one poll tries again (no effect on"
                    + " jsonl)")
        Duration open) {
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
