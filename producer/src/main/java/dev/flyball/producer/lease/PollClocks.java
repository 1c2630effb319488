package dev.flyball.producer.lease;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.text.TimeSpan;
import java.time.Duration;

/** The clocks of poll leases, the same in every producer. */
public record PollClocks(
    @ConfigKey(
            name = "poll.lease",
            meaning =
                "After this time without a heartbeat of its producer another producer takes a"
                    + " source over")
        Duration lease,
    @ConfigKey(name = "poll.beat", meaning = "How often a producer renews its lease of a source")
        Duration beat,
    @ConfigKey(
            name = "poll.request",
            meaning =
                "Longest that one request to a tracker may take; poll.lease is longer than"
                    + " two beats and this together")
        Duration request) {
  /** The clocks unless configured. */
  public static final PollClocks DEFAULT =
      new PollClocks(Duration.ofMinutes(3), Duration.ofMinutes(1), Duration.ofSeconds(30));

  public PollClocks {
    if (!beat.isPositive()) {
      throw new IllegalArgumentException("poll.beat " + TimeSpan.exact(beat) + " must be above 0");
    }
    if (!request.isPositive()) {
      throw new IllegalArgumentException(
          "poll.request " + TimeSpan.exact(request) + " must be above 0");
    }
    if (lease.compareTo(beat.multipliedBy(2).plus(request)) <= 0) {
      throw new IllegalArgumentException(
          "poll.lease "
              + TimeSpan.exact(lease)
              + " must be longer than two of poll.beat "
              + TimeSpan.exact(beat)
              + " and one poll.request "
              + TimeSpan.exact(request)
              + " together, so that one late renewal stops no poll");
    }
  }
}
