package dev.flyball.producer.lease;

import dev.flyball.contract.poll.PollState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Watches one source's poll lease. A lease may be taken over only once its beat stood still for a
 * full lease on this witness' own monotonic clock; no wall clock is compared, so a stepped clock
 * takes nothing over (S2-1, S2-2). One thread at a time.
 */
public final class PollWitness {
  /** The owner in the record of a producer that stopped in good order. */
  public static final String NOBODY = "-";

  private final Duration lease;
  private @Nullable PollState seen;
  private long since;

  /** With this {@code poll.lease}. */
  public PollWitness(Duration lease) {
    this.lease = lease;
  }

  /**
   * Takes note of the newest record.
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
   * Where this producer stands by what was observed last. Its own name on the record means that it
   * held the lease before it was started again.
   */
  public Standing standing(String me, long nanos) {
    PollState state = seen;
    if (state == null) {
      return new Standing.Free(1);
    }
    Duration silent = Duration.ofNanos(nanos - since);
    boolean free =
        state.owner().equals(NOBODY) || state.owner().equals(me) || silent.compareTo(lease) >= 0;
    return free
        ? new Standing.Free(state.epoch() + 1)
        : new Standing.Held(state.owner(), lease.minus(silent));
  }

  private static boolean sameBeat(PollState a, PollState b) {
    return a.owner().equals(b.owner()) && a.epoch() == b.epoch() && a.beat() == b.beat();
  }
}
