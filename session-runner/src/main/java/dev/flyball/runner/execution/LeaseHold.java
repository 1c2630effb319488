package dev.flyball.runner.execution;

import dev.flyball.contract.ledger.LedgerEntry;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a session tells, and asks of, the ledger's side of this runner. No method waits for a
 * broker.
 */
public interface LeaseHold {

  /**
   * The session's tree is verified dead, or never was: renewals stop, and the release is repeated
   * until the fold shows the end; the session's handle learns that.
   */
  void dead(LedgerEntry.Release release);

  /**
   * The session's provider refuses: no runner starts sessions of it until then.
   *
   * @param until null if an operator has to resume it
   */
  void providerLimited(String provider, @Nullable Instant until, String why);

  /**
   * Whether a renewal was confirmed within half a lease: otherwise progress is not worth saying.
   */
  boolean confirmedLately(SessionHandle handle);

  /** How long a result is waited for: after that nobody can say whose lease it is. */
  Duration patience();

  /** Nanoseconds of the runner's elapsed clock, which fences are told in. */
  long nowNanos();
}
