package dev.flyball.contract.ledger;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.topic.Position;

/**
 * A request whose session has ended and that is not settled yet.
 *
 * @param requestAt the position of its record in session-requests
 * @param session the session that ran for it
 * @param endedAt offset of the entry that ended that session
 */
public record SpentRequest(
    String request, Position requestAt, ItemKey item, String session, long endedAt) {}
