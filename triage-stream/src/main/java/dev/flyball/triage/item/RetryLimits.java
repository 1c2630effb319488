package dev.flyball.triage.item;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.text.TimeSpan;
import java.time.Duration;

/** How often and when an unfinished item is tried again. */
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
        Duration backOff) {
  /** The longest wait before an attempt, before jitter. */
  public static final Duration CEILING = Duration.ofMinutes(10);

  /**
   * The wait after the second interruption or loss in a row, doubled each time up to {@link
   * #CEILING}; after the first there is no wait, so that a takeover costs no more than the lease.
   */
  public static final Duration QUICK = Duration.ofSeconds(1);

  public RetryLimits {
    if (CEILING.compareTo(backOff) < 0) {
      throw new IllegalArgumentException(
          "sessions.back-off "
              + TimeSpan.exact(backOff)
              + " must be 0 to its ceiling "
              + TimeSpan.exact(CEILING));
    }
  }

  /** The documented defaults. */
  public static RetryLimits defaults() {
    return new RetryLimits(3, 5, Duration.ofSeconds(30));
  }
}
