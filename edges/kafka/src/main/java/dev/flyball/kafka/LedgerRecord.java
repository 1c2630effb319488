package dev.flyball.kafka;

import dev.flyball.contract.ledger.LedgerEntry;
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

  /** The entry, in the shape that a fold takes. */
  public Optional<LedgerEntry> maybeEntry() {
    return Optional.ofNullable(entry);
  }
}
