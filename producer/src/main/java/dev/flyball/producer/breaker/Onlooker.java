package dev.flyball.producer.breaker;

import dev.flyball.contract.poll.PollState;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What poll-state says of a tracker, for who asks it beside the polls: it leaves alone what they
 * leave alone, whichever process polls, and takes nothing from what their own breaker counts. One
 * thread.
 */
public final class Onlooker implements Supplier<Optional<String>> {
  private final String source;
  private final Supplier<@Nullable PollState> states;
  private final Supplier<BreakerLimits> limits;
  private final InstantSource clock;
  private final LongSupplier nanos;

  private BreakerLimits seenBy;
  private Breaker seen;

  /**
   * Asks nothing yet.
   *
   * @param source {@code tenant/source}
   * @param states its newest record in poll-state; null if it has none
   * @param limits those that count now
   * @param nanos this process' monotonic clock
   */
  public Onlooker(
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

  /** Why the tracker is left alone just now, one line; empty if it is not. */
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
