package dev.flyball.contract.ledger;

import java.util.Objects;

/**
 * A ledger state as a checkpoint carries it.
 *
 * @param digest the digest that readers compare: each lease's last offset, spent requests, floors,
 *     last operator offsets
 * @param state the state as JSON text, or the part of that text which one entry carries
 */
public record LedgerSnapshot(String digest, String state) {
  public LedgerSnapshot {
    Objects.requireNonNull(digest, "property digest is missing");
    Objects.requireNonNull(state, "property state is missing");
  }
}
