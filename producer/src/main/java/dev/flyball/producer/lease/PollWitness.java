package dev.flyball.producer.lease;

import dev.flyball.contract.poll.PollState;
import java.time.Duration;
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

  /** Whether a producer may take a source's poll lease. */
  public sealed interface LeaseStatus {

    /**
     * No other producer may be polling the source, so the lease can be taken.
     *
     * @param epoch the epoch to take it with
     */
    record Free(long epoch) implements LeaseStatus {}

    /**
     * Another producer holds it.
     *
     * @param owner that producer
     * @param remaining how much longer it must go without renewal before it may be taken over
     */
    record Held(String owner, Duration remaining) implements LeaseStatus {}
  }

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
   * Whether this producer may take the lease, by the record observed last. Its own name on the
   * record means that it held the lease before a restart.
   */
  public LeaseStatus status(String me, long nanos) {
    PollState state = seen;
    if (state == null) {
      return new LeaseStatus.Free(1);
    }
    Duration silent = Duration.ofNanos(nanos - since);
    boolean free =
        state.owner().equals(NO_OWNER) || state.owner().equals(me) || silent.compareTo(lease) >= 0;
    return free
        ? new LeaseStatus.Free(state.epoch() + 1)
        : new LeaseStatus.Held(state.owner(), lease.minus(silent));
  }

  private static boolean sameBeat(PollState a, PollState b) {
    return a.owner().equals(b.owner()) && a.epoch() == b.epoch() && a.beat() == b.beat();
  }
}
