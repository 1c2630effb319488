package dev.flyball.producer.breaker;

import dev.flyball.contract.poll.PollState;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether polls of a tracker are paused, as poll-state records it. It is for requests beside the
 * polls, such as write-backs: they pause when the polls pause, whichever process polls, and do not
 * affect the failure count of the polls' own breaker. One thread.
 */
public final class BreakerMirror implements Supplier<Optional<String>> {
  private final String source;
  private final Supplier<@Nullable PollState> states;
  private final Supplier<BreakerLimits> limits;
  private final InstantSource clock;
  private final LongSupplier nanos;

  private BreakerLimits seenBy;
  private Breaker seen;

  /**
   * Sends no request yet.
   *
   * @param source {@code tenant/source}
   * @param states its newest record in poll-state; null if it has none
   * @param limits the breaker limits in force
   * @param nanos this process' monotonic clock
   */
  public BreakerMirror(
      String source,
      Supplier<@Nullable PollState> states,
      Supplier<BreakerLimits> limits,
      InstantSource clock,
      LongSupplier nanos) {
    this.source = source;
    this.states = states;
    this.limits = limits;
    this.clock = clock;
    this.nanos = nanos;
    this.seenBy = limits.get();
    this.seen = new TrackerBreaker(source, seenBy, nanos);
  }

  /** Why polls of the tracker are paused now, one line; empty if they are not. */
  @Override
  public Optional<String> get() {
    BreakerLimits now = limits.get();
    if (!now.equals(seenBy)) {
      seenBy = now;
      seen = new TrackerBreaker(source, now, nanos);
    }
    PollState state = states.get();
    if (state != null) {
      seen.restore(state.trouble(), Optional.ofNullable(state.polledAt()), clock.instant());
    }
    return seen.suspended();
  }
}
