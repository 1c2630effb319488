package dev.flyball.contract.ledger;

import dev.flyball.contract.item.ItemKey;

/**
 * A request whose session has ended and that nobody has settled yet.
 *
 * @param requestAt where its record stood in session-requests
 * @param session the session that it had
 * @param endedAt offset of the entry that ended that session
 */
public record SpentRequest(
    String request, LedgerEntry.Position requestAt, ItemKey item, String session, long endedAt) {}
