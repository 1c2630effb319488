package dev.flyball.triage.item;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemPhase.Attempts;
import dev.flyball.contract.state.ItemPhase.Outstanding;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.contract.triage.Verdict;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Sends questions to the classifier, takes their verdicts, and publishes the requests that follow.
 * At most one request per item is outstanding.
 */
final class RequestRules {
  /** How many questions one snapshot gets before its item is dead. */
  static final int MOST_ASKED = 3;

  /** The retention of triage-requests. */
  private static final Duration QUESTIONS_KEPT = Duration.ofDays(7);

  private RequestRules() {}

  /** Asks the classifier about the item's snapshot. */
  static void ask(Draft draft, int asked) {
    String triage = draft.origin.id(draft.key);
    Verdict answered = draft.known().verdict();
    if (answered != null) {
      draft.memory = draft.memory.book(answered.triage());
    }
    draft.verdict(null);
    draft.add(new TriageEffect.Ask(new TriageRequest(triage, draft.known().snapshot())));
    draft.to(
        new ItemPhase.Triaging(
            triage,
            asked,
            draft.questions.asked() + 1,
            draft.now,
            draft.now.plus(draft.settings.patience())));
  }

  /**
   * Decides what follows an overdue question. The classifier answers in order. If it has answered
   * no later question, it has not reached this one: it was down, and a second question would only
   * ask twice. A question that it skipped is asked again, and so is one that its topic no longer
   * holds. Neither is the item's fault, so it uses up none of the item's questions. The classifier
   * leaves the older question out.
   */
  static void overdue(Draft draft, ItemPhase.Triaging triaging) {
    boolean skipped = draft.questions.answered() > triaging.number();
    if (skipped || triaging.since().plus(QUESTIONS_KEPT).isBefore(draft.now)) {
      ask(draft, triaging.asked());
    } else {
      draft.to(triaging.waiting(draft.now.plus(draft.settings.patience()), triaging.waits()));
    }
  }

  /** Asks once more, under a new id, so that a late answer to the old question is ignored. */
  static void askAgain(Draft draft, ItemPhase.Triaging triaging, String why) {
    if (triaging.asked() >= MOST_ASKED) {
      dead(draft, "no verdict after " + MOST_ASKED + " questions; at last " + why);
    } else {
      ask(draft, triaging.asked() + 1);
    }
  }

  /**
   * Notes why the item's question is not answered yet. The item goes on waiting: without a verdict
   * it would get a session that no classifier judged worth its cost.
   */
  static void deferred(Draft draft, String why) {
    ItemState state = draft.state();
    if (state == null
        || !(state.phase() instanceof ItemPhase.Triaging triaging)
        || why.equals(triaging.waits())) {
      return;
    }
    draft.to(triaging.waiting(triaging.due(), why));
    draft.emit(EventType.ITEM_DEFERRED, state.snapshot(), why);
  }

  static void verdict(Draft draft, Verdict verdict) {
    ItemState state = draft.state();
    if (state == null || repeated(draft, state, verdict)) {
      return;
    }
    draft.spent(verdict.costMicros(), 0);
    if (!(state.phase() instanceof ItemPhase.Triaging triaging)
        || !triaging.triage().equals(verdict.triage())) {
      draft.memory = draft.memory.book(verdict.triage());
      return;
    }
    draft.verdict(verdict);
    draft.emit(
        EventType.ITEM_TRIAGED,
        Draft.about(state.snapshot())
            .with(Field.REASON, verdict.reason())
            .with(Field.MODEL, verdict.model())
            .with(Field.BATCH, verdict.batch())
            .with(Field.COMPLEXITY, verdict.complexity())
            .with(Field.PRIORITY, verdict.priority())
            .with(Field.COST_MICROS, verdict.costMicros()));
    if (verdict.needsDeepAnalysis()) {
      publish(draft, verdict, Attempts.FIRST);
    } else {
      draft.to(new ItemPhase.Skipped(verdict.reason()));
      draft.emit(
          EventType.ITEM_SKIPPED,
          Draft.about(state.snapshot())
              .with(Field.REASON, verdict.reason())
              .with(Field.MODEL, verdict.model()));
    }
  }

  /**
   * Whether a verdict was booked before. A classifier that was killed publishes its last batch
   * again, which costs nothing more.
   */
  private static boolean repeated(Draft draft, ItemState state, Verdict verdict) {
    Verdict known = state.verdict();
    return (known != null && known.triage().equals(verdict.triage()))
        || draft.memory.booked(verdict.triage());
  }

  /**
   * Publishes the item's one request; it replaces any older one and keeps its age. An item whose
   * budget is spent gets none, and is dead.
   */
  static void publish(Draft draft, Verdict verdict, Attempts attempts) {
    ItemState state = draft.known();
    String refusal = draft.settings.budget().refuses(state);
    if (refusal != null) {
      withdraw(draft);
      dead(draft, refusal);
      return;
    }
    Instant since = attempts.since() == null ? draft.now : attempts.since();
    Route route = draft.settings.routing().of(draft.key, state.snapshot(), verdict);
    AgentSession resume = resumed(draft, route, attempts.failures());
    var out =
        new Outstanding(
            verdict.triage() + "-" + attempts.attempt(),
            attempts.since(since),
            draft.now,
            resume,
            route);
    draft.to(new ItemPhase.Queued(out, verdict));
    draft.add(
        new TriageEffect.Request(
            new SessionRequest(
                out.request(),
                attempts.attempt(),
                verdict.priority(),
                since,
                route,
                draft.known().snapshot(),
                verdict,
                resume,
                draft.known().handover())));
    EventData data =
        Draft.about(state.snapshot())
            .with(Field.REQUEST, out.request())
            .with(Field.ATTEMPT, attempts.attempt())
            .with(Field.PRIORITY, verdict.priority())
            .with(Field.AGENT_SESSION, resume == null ? null : resume.id())
            .with(Field.HOME, resume == null ? null : resume.home())
            .withAll(routed(out));
    draft.emit(out.request() + "-requested", EventType.SESSION_REQUESTED, data);
  }

  /**
   * The agent's session that a request goes on with, null for a fresh one. One that does not work
   * any more, or is too old or too large, is rotated. One that a session of the item may still use
   * is not resumed: it would have two owners.
   */
  private static @Nullable AgentSession resumed(Draft draft, Route route, int failures) {
    AgentReuse reuse =
        AgentReuse.of(draft.known(), route.profile(), failures, draft.now, draft.settings.reuse());
    if (reuse.rotation() != null) {
      AgentReuse.rotate(draft, reuse.rotation(), reuse.previousRun());
    }
    return draft.memory.open().isEmpty() ? reuse.resume() : null;
  }

  /** Which agent a request asks for, as events carry it. */
  static EventData routed(Outstanding out) {
    Route route = out.route();
    return route == null
        ? EventData.EMPTY
        : EventData.EMPTY.with(Field.PROFILE, route.profile()).with(Field.ROUTED_BY, route.by());
  }

  /** Why the item's budget allows no further request; null if it does. */
  static @Nullable String unaffordable(Draft draft) {
    return draft.settings.budget().refuses(draft.known());
  }

  /**
   * Withdraws the outstanding request. A running session's runner ends that session when it reads
   * the withdrawal in session-requests.
   */
  static void withdraw(Draft draft) {
    if (draft.known().phase() instanceof ItemPhase.Queued q) {
      draft.add(new TriageEffect.Withdraw(q.outstanding().request()));
    } else if (draft.known().phase() instanceof ItemPhase.Running r && !r.withdrawn()) {
      draft.add(new TriageEffect.Withdraw(r.outstanding().request()));
      draft.to(
          new ItemPhase.Running(
              r.outstanding(), r.verdict(), r.session(), r.token(), r.runner(), true));
    }
  }

  /** Gives the item up and writes a dead letter, for an operator to check. */
  static void dead(Draft draft, String reason) {
    ItemState state = draft.known();
    draft.to(new ItemPhase.Dead(reason));
    draft.emit(EventType.ITEM_DEAD_LETTERED, state.snapshot(), reason);
    draft.add(new TriageEffect.GiveUp(reason, state.at(), state.snapshot()));
  }
}
