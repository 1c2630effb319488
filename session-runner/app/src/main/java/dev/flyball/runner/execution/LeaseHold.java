package dev.flyball.runner.execution;

import dev.flyball.contract.ledger.LedgerEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The calls that a session makes to the ledger's side of this runner. No method waits for a broker.
 */
public interface LeaseHold {

  /**
   * Reports that the session's tree is verified dead, or never existed. Renewals stop, and the
   * release is repeated until the fold shows the end. The session's handle is then closed.
   */
  void dead(LedgerEntry.Release release);

  /**
   * Pauses the session's provider: no runner starts sessions of it until then.
   *
   * @param until when it answers again, by the broker's time now; null if an operator has to resume
   *     it
   */
  void providerLimited(String provider, @Nullable UnaryOperator<Instant> until, String why);

  /** Whether a renewal was confirmed within half a lease; otherwise progress is not reported. */
  boolean confirmedLately(SessionHandle handle);

  /**
   * How long to wait for a result's acknowledgement; after that the session may have lost its
   * lease.
   */
  Duration patience();

  /** Nanoseconds of the runner's elapsed clock, in which fences are given. */
  long nowNanos();
}
