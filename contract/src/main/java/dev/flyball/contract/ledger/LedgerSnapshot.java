package dev.flyball.contract.ledger;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A ledger state as a checkpoint carries it.
 *
 * @param digest the digest that readers compare: each lease's last offset, spent requests, floors,
 *     last operator offsets
 * @param state the whole state, as {@link LedgerState} writes it
 */
public record LedgerSnapshot(String digest, JsonNode state) {}
