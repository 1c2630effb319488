package dev.flyball.triage.topology;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LostTail;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reports what session-requests has lost and what is left of it; thread-safe. */
interface LostRequests {

  /** Returns what a partition has lost and is not replaced yet; null if no loss is known. */
  @Nullable Loss of(int partition);

  /** Records that the loss is replaced: what was read of this partition before is out of date. */
  void replaced(int partition);

  /**
   * A loss.
   *
   * @param left the request ids in the partition by key, without tombstones
   * @param ledger its state shortly before
   */
  record Loss(LostTail tail, Map<String, String> left, LedgerState ledger) {}

  /** Reports that nothing is lost. */
  LostRequests NONE =
      new LostRequests() {
        @Override
        public @Nullable Loss of(int partition) {
          return null;
        }

        @Override
        public void replaced(int partition) {}
      };
}
