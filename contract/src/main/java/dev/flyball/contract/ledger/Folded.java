package dev.flyball.contract.ledger;

/** The state after an entry, and the entry's effect. */
public record Folded(LedgerState state, Effect effect) {}
