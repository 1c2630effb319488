package dev.flyball.triage.stream;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LostTail;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What session-requests has lost and what is left of it; thread-safe. */
interface LostRequests {

  /** What a partition has lost and is not replaced yet; null if nothing is known to be lost. */
  @Nullable Loss of(int partition);

  /** What was lost is replaced: whatever was seen of this partition before is out of date. */
  void replaced(int partition);

  /**
   * A loss.
   *
   * @param left the request ids in the partition by key, of those that are no tombstones
   * @param ledger as it was shortly before
   */
  record Loss(LostTail tail, Map<String, String> left, LedgerState ledger) {}

  /** Where nothing is ever lost. */
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
