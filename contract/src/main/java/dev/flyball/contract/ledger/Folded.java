package dev.flyball.contract.ledger;

/** The state after an entry, and what the entry did. */
public record Folded(LedgerState state, Effect effect) {}
