package dev.flyball.contract.ledger;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.topic.Position;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells a ledger entry by entry; each call appends one and answers with its effect. */
final class LedgerStory {
  static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  private LedgerState state = LedgerState.empty();
  private long offset;
  private Instant time = NOON;

  static LedgerStory withCap(int cap) {
    var story = new LedgerStory();
    story.append(new LedgerEntry.Init(cap, 45_000, List.of()));
    return story;
  }

  LedgerState state() {
    return state;
  }

  /** The offset that the next entry gets. */
  long next() {
    return offset;
  }

  Instant time() {
    return time;
  }

  LedgerStory at(Instant appendTime) {
    time = appendTime;
    return this;
  }

  Effect append(LedgerEntry entry) {
    LedgerState.Folded folded = state.fold(entry, offset++, time);
    state = folded.state();
    return folded.effect();
  }

  Effect claim(String session, String request, String item) {
    return append(claimOf(session, request, item));
  }

  Effect renew(long n, String... sessions) {
    return append(
        new LedgerEntry.Renew(
            n, Arrays.stream(sessions).map(s -> new LedgerEntry.Usage(s, 0, 0)).toList()));
  }

  Effect usage(String session, long tokens, long costMicros) {
    return append(
        new LedgerEntry.Renew(1, List.of(new LedgerEntry.Usage(session, tokens, costMicros))));
  }

  Effect release(String session) {
    return release(session, 0);
  }

  Effect release(String session, long costMicros) {
    return release(session, Outcome.COMPLETED, costMicros, Receipt.notStarted());
  }

  Effect release(String session, Outcome outcome, long costMicros, Receipt receipt) {
    return append(
        new LedgerEntry.Release(
            session, outcome, null, null, 0, null, Timings.ZERO, 0, costMicros, receipt, null));
  }

  Effect expire(String session, long seen) {
    return append(new LedgerEntry.Expire(session, seen));
  }

  Effect settled(String request, long by) {
    return append(new LedgerEntry.Settled(request, by));
  }

  Effect cap(String scope, int limit) {
    return append(new LedgerEntry.Cap(scope, limit, state.lastOperator(scope), "ann", "test"));
  }

  Effect pause(String scope, @Nullable Instant until) {
    return append(new LedgerEntry.Pause(scope, until, state.lastOperator(scope), "ann", "test"));
  }

  Effect resume(String scope) {
    return append(new LedgerEntry.Resume(scope, state.lastOperator(scope), "ann", "test"));
  }

  Effect budget(String scope, @Nullable Long costMicros, @Nullable Long tokens) {
    var limits = new Limits(costMicros, tokens);
    return append(new LedgerEntry.Budget(scope, limits, state.lastOperator(scope), "ann", "test"));
  }

  /** The request's record stands at offset 10 of partition 0, and the claimant has read it. */
  static LedgerEntry.Claim claimOf(String session, String request, String item) {
    return claimOf(session, request, item, 11);
  }

  static LedgerEntry.Claim claimOf(String session, String request, String item, long readTo) {
    return claimOf(session, request, item, readTo, 1, 0);
  }

  static LedgerEntry.Claim claimOf(
      String session, String request, String item, long readTo, int rules, long reserve) {
    return new LedgerEntry.Claim(
        request,
        new Position(0, 10),
        readTo,
        ItemKey.parse(item),
        1,
        session,
        "runner",
        "anthropic",
        rules,
        reserve);
  }
}
