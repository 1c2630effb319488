package dev.flyball.contract.ledger;

import org.jspecify.annotations.Nullable;

/**
 * One fact of a ledger state, small enough for a separate record.
 *
 * @param key names the fact; no two rows of a state share it
 * @param json the fact, read by {@link LedgerAssembly}; null if the state no longer has it
 */
public record LedgerRow(String key, @Nullable String json) {}
