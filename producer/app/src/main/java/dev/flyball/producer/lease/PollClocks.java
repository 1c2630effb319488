package dev.flyball.producer.lease;

import java.time.Duration;

/**
 * The clocks of poll leases, the same in every producer.
 *
 * @param lease {@code poll.lease}: how long a lease must go without renewal, by a witness' own
 *     clock, before another producer takes its source over
 * @param beat {@code poll.beat}: how often the holder renews the lease
 * @param request {@code poll.request}: the longest that one request to a tracker may take
 */
public record PollClocks(Duration lease, Duration beat, Duration request) {
  /** The clocks unless configured. */
  public static final PollClocks DEFAULT =
      new PollClocks(Duration.ofMinutes(3), Duration.ofMinutes(1), Duration.ofSeconds(30));

  public PollClocks {
    if (!beat.isPositive()) {
      throw new IllegalArgumentException("poll.beat " + beat + " must be above 0");
    }
    if (!request.isPositive()) {
      throw new IllegalArgumentException("poll.request " + request + " must be above 0");
    }
    if (lease.compareTo(beat.multipliedBy(2).plus(request)) <= 0) {
      throw new IllegalArgumentException(
          "poll.lease "
              + lease
              + " must be longer than two of poll.beat "
              + beat
              + " and one poll.request "
              + request
              + " together, so that one late renewal stops no poll");
    }
  }
}
