package dev.flyball.ops.console.notify.rule;

import java.time.Duration;
import java.util.Optional;

/**
 * When a message that failed is tried again: after a wait that grows threefold, varied by a
 * quarter, and not for longer than a limit. A target that names a wait gets it.
 *
 * @param first the wait after the first failure
 * @param most the longest wait
 * @param giveUp how long after it came a message is still tried
 */
public record RetrySchedule(Duration first, Duration most, Duration giveUp) {
  /** 2 s, 6 s, 18 s ... 5 min, for an hour. */
  public static final RetrySchedule DEFAULT =
      new RetrySchedule(Duration.ofSeconds(2), Duration.ofMinutes(5), Duration.ofHours(1));

  /**
   * The wait before the next try; empty if the message is given up.
   *
   * @param failures of the target in a row, at least 1; they go on over its messages, so that a
   *     target that is down is not asked sooner for each
   * @param asked the wait that the target named; zero for none
   * @param age how long ago the message came
   * @param random from 0 to 1
   */
  public Optional<Duration> next(int failures, Duration asked, Duration age, double random) {
    double factor = Math.pow(3, Math.min(failures - 1, 20)) * (0.75 + random / 2);
    double millis = Math.min(first.toMillis() * factor, (double) most.toMillis());
    Duration wait = Duration.ofMillis((long) millis);
    Duration longer = asked.compareTo(wait) > 0 ? asked : wait;
    return age.plus(longer).compareTo(giveUp) > 0 ? Optional.empty() : Optional.of(longer);
  }
}
