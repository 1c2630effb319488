package dev.flyball.kafka;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One record of the ledger.
 *
 * @param entry null if this code cannot read it: then it has no effect
 * @param unreadable the reason; null if it can be read
 * @param appendTime the broker's append time, only for display, pauses and the budget's day
 */
public record LedgerRecord(
    long offset, @Nullable LedgerEntry entry, @Nullable String unreadable, Instant appendTime) {

  /** The state after this record; one that cannot be read only moves its offset. */
  public LedgerState after(LedgerState before) {
    return entry == null ? before.skip(offset) : before.fold(entry, offset, appendTime).state();
  }

  /** The entry; empty if it cannot be read. */
  public Optional<LedgerEntry> maybeEntry() {
    return Optional.ofNullable(entry);
  }
}
