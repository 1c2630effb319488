package dev.flyball.producer.lease;

import dev.flyball.contract.poll.PollState;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Watches one source's poll lease. A lease may be taken over only after it was not renewed for a
 * full lease on this witness' own monotonic clock. No wall clock is compared, so a stepped clock
 * causes no takeover. One thread at a time.
 */
public final class PollWitness {
  /** The owner in the record of a producer that gave the lease back. */
  public static final String NO_OWNER = "-";

  private final Duration lease;
  private @Nullable PollState seen;
  private long since;

  /**
   * Another producer holds the lease.
   *
   * @param owner that producer
   * @param remaining how much longer it must go without renewal before it may be taken over
   */
  public record Held(String owner, Duration remaining) {}

  /** A witness with this {@code poll.lease}. */
  public PollWitness(Duration lease) {
    this.lease = lease;
  }

  /**
   * Records the newest record seen.
   *
   * @param state null if there is none
   * @param nanos this process' monotonic clock
   */
  public void observe(@Nullable PollState state, long nanos) {
    if (state == null || seen == null || !sameBeat(state, seen)) {
      since = nanos;
    }
    seen = state;
  }

  /**
   * Who holds the lease, by the record observed last; empty if this producer may take it. Its own
   * name on the record means that it held the lease before a restart.
   */
  public Optional<Held> holder(String me, long nanos) {
    PollState state = seen;
    if (state == null || state.owner().equals(NO_OWNER) || state.owner().equals(me)) {
      return Optional.empty();
    }
    Duration remaining = lease.minus(Duration.ofNanos(nanos - since));
    return Optional.of(new Held(state.owner(), remaining)).filter(_ -> remaining.isPositive());
  }

  private static boolean sameBeat(PollState a, PollState b) {
    return a.owner().equals(b.owner()) && a.epoch() == b.epoch() && a.beat() == b.beat();
  }
}
