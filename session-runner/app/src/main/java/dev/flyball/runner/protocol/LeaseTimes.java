package dev.flyball.runner.protocol;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.text.TimeSpan;
import java.time.Duration;

/**
 * The protocol's durations. All are measured on the runner's elapsed clock (the larger of the
 * monotonic and the suspend-counting one), none on a wall clock. Those that are not configured are
 * in proportion to the lease.
 *
 * @param lease the value with which the first runner seeds the ledger; afterwards the ledger's
 *     value applies
 * @param renew between two renewals
 * @param margin a session is fenced this long before any other runner could expire its lease
 * @param stagger between two starts of one runner while it fills several free slots
 */
public record LeaseTimes(
    @ConfigKey(name = "ledger.lease", meaning = "How long a claim or renewal holds") Duration lease,
    @ConfigKey(name = "ledger.renew", meaning = "How often a runner renews") Duration renew,
    @ConfigKey(
            name = "ledger.margin",
            meaning = "How long before its lease's end a runner kills its own sessions")
        Duration margin,
    @ConfigKey(
            name = "sessions.stagger",
            meaning =
                "Least distance between two starts of one runner while it has several"
                    + " slots free, up to 1m; a single request waits for nothing. 0s for none")
        Duration stagger) {
  // Before the defaults, which are checked against it.
  private static final Duration MOST_STAGGER = Duration.ofMinutes(1);

  /** The defaults: sessions survive a broker outage of 25 s. */
  public static final LeaseTimes DEFAULTS =
      new LeaseTimes(
          Duration.ofSeconds(45),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ofMillis(250));

  public LeaseTimes {
    if (renew.isZero() || renew.isNegative() || margin.isZero() || margin.isNegative()) {
      throw new IllegalArgumentException(
          "ledger.renew "
              + TimeSpan.exact(renew)
              + " and ledger.margin "
              + TimeSpan.exact(margin)
              + " must be above 0");
    }
    if (lease.minus(margin).compareTo(renew.multipliedBy(2)) < 0) {
      throw new IllegalArgumentException(
          "ledger.lease "
              + TimeSpan.exact(lease)
              + " must be at least ledger.margin "
              + TimeSpan.exact(margin)
              + " plus two of ledger.renew "
              + TimeSpan.exact(renew));
    }
    if (stagger.compareTo(MOST_STAGGER) > 0) {
      throw new IllegalArgumentException(
          "sessions.stagger "
              + TimeSpan.exact(stagger)
              + " must be 0s to "
              + TimeSpan.exact(MOST_STAGGER));
    }
  }

  /**
   * A claim that takes effect later than this after its send is released unstarted; also the ledger
   * producer's delivery timeout.
   */
  public Duration late() {
    return lease.dividedBy(9);
  }

  /** How long a runner claims nothing after a late claim. */
  public Duration coolDown() {
    return late().multipliedBy(2);
  }

  /** Between repeats of a release, an expiry, a renewal not yet seen, an init. */
  public Duration retry() {
    return lease.multipliedBy(2).dividedBy(45);
  }

  /** Time between two turns of runners at the same work, a claim for example. */
  public Duration herd() {
    return Duration.ofMillis(50);
  }

  /** Between two runner entries; a runner is live for three of these after its last entry. */
  public Duration heartbeat() {
    return lease.multipliedBy(2).dividedBy(3);
  }

  /** Between two checks of the fences: short against the margin, into which a kill has to fit. */
  public Duration fenceTick() {
    return Duration.ofMillis(Math.clamp(margin.toMillis() / 100, 10, 100));
  }

  /** Between two checks of a deadman, which has half of the margin for itself. */
  public Duration deadmanTick() {
    return Duration.ofMillis(Math.clamp(margin.toMillis() / 20, 20, 500));
  }
}
