package dev.flyball.triage.item;

import dev.flyball.contract.config.ConfigKey;
import java.time.Duration;

/**
 * How often and when an unfinished item is tried again.
 *
 * @param ceiling longest such wait, before jitter
 * @param quick wait after the second interruption or loss in a row, doubled each time up to {@code
 *     ceiling}; after the first there is no wait, so that a takeover costs no more than the lease
 */
public record RetryLimits(
    @ConfigKey(
            name = "sessions.attempts",
            from = 1,
            to = 100,
            meaning = "Attempts before an item is dead")
        int attempts,
    @ConfigKey(
            name = "sessions.lost",
            from = 1,
            to = 100,
            meaning = "Lost sessions before an item is dead")
        int lost,
    @ConfigKey(
            name = "sessions.back-off",
            meaning =
                "Wait before the second attempt; times 4 for each further one, up to 10m,"
                    + " give or take 25 %")
        Duration backOff,
    Duration ceiling,
    Duration quick) {
  public static final int DEFAULT_ATTEMPTS = 3;
  public static final int DEFAULT_LOST = 5;
  public static final Duration DEFAULT_BACK_OFF = Duration.ofSeconds(30);
  public static final Duration DEFAULT_CEILING = Duration.ofMinutes(10);
  public static final Duration DEFAULT_QUICK = Duration.ofSeconds(1);

  public RetryLimits {
    if (attempts < 1 || attempts > 100) {
      throw new IllegalArgumentException("sessions.attempts " + attempts + " must be 1 to 100");
    }
    if (lost < 1 || lost > 100) {
      throw new IllegalArgumentException("sessions.lost " + lost + " must be 1 to 100");
    }
    if (backOff.isNegative() || ceiling.compareTo(backOff) < 0) {
      throw new IllegalArgumentException(
          "sessions.back-off " + backOff + " must be 0 to its ceiling " + ceiling);
    }
    if (!quick.isPositive() || ceiling.compareTo(quick) < 0) {
      throw new IllegalArgumentException(
          "quick distance " + quick + " must be above 0 and up to the ceiling " + ceiling);
    }
  }

  /** The documented defaults. */
  public static RetryLimits defaults() {
    return new RetryLimits(
        DEFAULT_ATTEMPTS, DEFAULT_LOST, DEFAULT_BACK_OFF, DEFAULT_CEILING, DEFAULT_QUICK);
  }
}
