package dev.flyball.runner.protocol;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.ProviderReturn;
import dev.flyball.contract.ledger.SpentRequest;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * What the participant asks of its runner: what should run, and what runs. The participant calls it
 * only from within its own methods, on their thread. It must answer immediately, from memory.
 */
public interface ClaimSource {

  /**
   * The claim to append now: of the first request by priority, then age, with tenants served
   * fairly. Only requests that the ledger would permit are candidates, and only those whose
   * provider is not just returning from a limit ({@link ProviderReturn}). Empty if none waits or
   * the runner's own gate is shut (slots, load, memory). Requests of other runners' turns are
   * passed over. Called often while a permit is free. The session of a claim that is appended is
   * started from what this returned last.
   *
   * @param session the claim's session
   * @param ledgerNow estimate of the broker's append time, for {@link LedgerState#whyNot}
   */
  Optional<LedgerEntry.Claim> next(
      String session, LedgerState ledger, Instant ledgerNow, Turns turns);

  /** Whose turn it is to claim a request, so that not all free runners claim the same. */
  interface Turns {
    /** Most requests that one search passes over. */
    int WINDOW = 16;

    /**
     * Whether this runner may claim the request of an item now. Asked only of requests that the
     * ledger would permit.
     *
     * @param profile the agent that it asks for
     * @param first the ids of the runners to which it is left for a moment, if they can take it:
     *     the one that stores the session which the claim's would resume, or all others where this
     *     runner's last session of the item gave no sign of life
     */
    boolean mayClaim(ItemKey item, String profile, Predicate<String> first);
  }

  /** Whether the request of a lease is the current one, as far as this runner has read. */
  boolean wanted(Lease lease);

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

  /** This runner's entry, with its present values. */
  LedgerEntry.Runner self();
}
