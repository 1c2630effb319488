package dev.flyball.runner.execution;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry.Position;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.SessionRequest;

/**
 * The work of a session, once its claim has taken effect.
 *
 * @param session the session's id; random, claimed once
 * @param token the session's fencing token
 * @param at the position of the request's record
 * @param publishedMs append time of that record, epoch milliseconds
 * @param reserveMicros most micro-dollars that the session may spend, 0 for no limit
 */
public record Assignment(
    String session,
    Token token,
    String runner,
    ItemKey item,
    SessionRequest request,
    Position at,
    long publishedMs,
    long reserveMicros) {

  /** The fields that each of the session's events carries. */
  EventData fields() {
    return EventData.EMPTY
        .with(Field.SESSION, session)
        .with(Field.TOKEN, token.toString())
        .with(Field.REQUEST, request.request())
        .with(Field.ITEM, item.toString())
        .with(Field.TENANT, item.tenant())
        .with(Field.REVISION, request.snapshot().revision())
        .with(Field.RUNNER, runner)
        .with(Field.ATTEMPT, request.attempt());
  }
}
