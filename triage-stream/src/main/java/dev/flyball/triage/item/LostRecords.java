package dev.flyball.triage.item;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to write after a partition of session-requests lost its newest records. Item states
 * define what should be there, and the ledger which of it has or had its session.
 *
 * <p>First, records that are left and no longer wanted are withdrawn. If the partition first grew
 * beyond the ledger's floor, a runner could claim them again. Then the partition is filled up to
 * that floor. Last, the missing waiting requests are written again, under their old ids, because
 * the ledger knows which of them had their session.
 */
public final class LostRecords {
  private final MachineSettings settings;
  private final LedgerState ledger;

  /** Creates the decision for the state of the ledger as it was shortly before. */
  public LostRecords(MachineSettings settings, LedgerState ledger) {
    this.settings = settings;
    this.ledger = ledger;
  }

  /**
   * Whether a request that is left in the log is to be withdrawn. The request of a live session is
   * not: a tombstone would end the session, whose own end decides what follows.
   *
   * @param state null if the item is forgotten
   */
  public boolean unwanted(ItemKey key, @Nullable ItemState state, String left) {
    if (live(key)) {
      return false;
    }
    return state == null
        || switch (state.phase()) {
          case ItemPhase.Queued queued -> !queued.outstanding().request().equals(left);
          case ItemPhase.Running running ->
              running.withdrawn() || !running.outstanding().request().equals(left);
          case ItemPhase.New p -> true;
          case ItemPhase.Triaging p -> true;
          case ItemPhase.Skipped p -> true;
          case ItemPhase.Analyzed p -> true;
          case ItemPhase.Failed p -> true;
          case ItemPhase.Dead p -> true;
          case ItemPhase.Cancelled p -> true;
          case ItemPhase.Closed p -> true;
        };
  }

  /**
   * Returns the item's request if it waits and is missing; null otherwise. A request that has or
   * had its session is not written again, because the session's end decides what follows.
   *
   * @param left the request of the item that is left in the log, null if none is
   */
  public @Nullable SessionRequest missing(ItemKey key, ItemState state, @Nullable String left) {
    if (!(state.phase() instanceof ItemPhase.Queued queued)) {
      return null;
    }
    String request = queued.outstanding().request();
    boolean used = live(key) || ledger.spent(request);
    return used || request.equals(left) ? null : RequestRules.of(key, state, queued, settings);
  }

  private boolean live(ItemKey key) {
    return ledger.leaseOf(key).isPresent();
  }
}
