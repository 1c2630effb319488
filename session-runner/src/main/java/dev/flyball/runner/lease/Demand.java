package dev.flyball.runner.lease;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.ProviderReturn;
import dev.flyball.contract.ledger.SpentRequest;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the participant asks of its runner: what should run, and what runs. Called only from within
 * the participant's methods, on their thread; must answer from memory at once.
 */
public interface Demand {

  /**
   * The request to claim now: by priority, then age, tenants served fairly, of those that the
   * ledger would permit and whose provider does not come back right now ({@link ProviderReturn}).
   * Empty if none waits or the runner's own gate is shut (slots, load, memory). Asked often while a
   * permit is free.
   *
   * @param ledgerNow estimate of the broker's append time, for {@link LedgerState#whyNot}
   */
  Optional<Wish> next(LedgerState ledger, Instant ledgerNow);

  /** Whether the request still stands in session-requests, as far as this runner has read. */
  boolean wanted(Wish wish);

  /** What a running session has used so far, cumulative. */
  LedgerEntry.Usage usage(String session);

  /**
   * The offset of the record that replaced or deleted a spent request, in the request's partition
   * of session-requests. If the item has another record now, that record's offset. If it has none
   * although this runner has read the partition beyond {@code requestAt} (the tombstone may be
   * compacted away), the last offset read. Empty while the request's own record is still the
   * newest.
   */
  OptionalLong replacedBy(SpentRequest spent);

  /** This runner as its entry should say now. */
  LedgerEntry.Runner self();
}
