package dev.flyball.triage.item;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemPhase.Requested;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.state.ItemState.Pending;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Handles the end of a lease: exactly one terminal event for every effective claim, wanted or not,
 * and, if the session was the outstanding request's, what follows for the item. Only here an item
 * becomes analyzed.
 */
final class LeaseEndRules {
  private LeaseEndRules() {}

  /** Takes the mark of the first end of a session. */
  static void ended(Draft draft, Input.SessionReported in) {
    Requested wanted = wanted(draft.state(), in.session().request());
    TerminalEvent terminal =
        TerminalEvent.of(
            in,
            draft.memory.find(in.session().session()).orElse(null),
            wanted == null ? null : wanted.outstanding().since(),
            draft.now,
            unwanted(draft.state()));
    draft.memory = draft.memory.end(in.session().token());
    if (draft.state() != null) {
      draft.note(terminal.note(draft.now), draft.settings.reuse().notes(ItemState.NOTES));
      draft.spent(terminal.costMicros(), terminal.tokens());
      AgentReuse.ended(draft, terminal, wanted == null ? null : wanted.outstanding().resume());
    }
    draft.emit(
        in.session().session() + "-end",
        EventType.terminalOf(terminal.outcome()),
        wanted == null
            ? terminal.data()
            : terminal
                .data()
                .withAll(Draft.about(draft.known().snapshot()))
                .withAll(RequestRules.routed(wanted.outstanding())));
    if (wanted != null) {
      follow(draft, wanted, terminal);
    }
  }

  /** Why its request was withdrawn, which its runner cannot know; null if it was not. */
  private static @Nullable String unwanted(@Nullable ItemState state) {
    if (state != null && state.pending() != null) {
      return Intake.unwanted(state.pending().snapshot())
          ? "its tracker does not want it any more"
          : "a newer change of the item replaces it";
    }
    return state != null && state.phase() instanceof ItemPhase.Cancelled(String reason)
        ? reason
        : state != null && state.phase() instanceof ItemPhase.Skipped skipped
            ? skipped.reason()
            : null;
  }

  private static void follow(Draft draft, Requested wanted, TerminalEvent terminal) {
    Pending pending = draft.known().pending();
    switch (terminal.outcome()) {
      case COMPLETED -> completed(draft, wanted, terminal);
      case CANCELLED -> {
        RequestRules.withdraw(draft);
        if (pending == null) {
          draft.to(new ItemPhase.Cancelled(terminal.reason()));
          draft.emit(EventType.ITEM_CANCELLED, draft.known().snapshot(), terminal.reason());
        }
      }
      case FAILED, TIMED_OUT, LOST, INTERRUPTED -> {
        if (pending == null) {
          retry(draft, wanted, terminal);
        }
      }
    }
    if (pending != null) {
      next(draft, wanted, pending, terminal.outcome());
    }
  }

  private static void completed(Draft draft, Requested wanted, TerminalEvent terminal) {
    ItemState state = draft.known();
    SessionResult result = terminal.completedResult();
    Route route = wanted.outstanding().route();
    RequestRules.withdraw(draft);
    draft.add(
        new TriageEffect.Publish(
            new Analysis(
                state.snapshot().revision(),
                state.snapshot().fingerprint(),
                result.commit(),
                result.text(),
                result.files(),
                terminal.costMicros(),
                result.agent(),
                result.model(),
                terminal.ref().session(),
                terminal.ref().token().toString(),
                draft.now,
                route == null ? null : route.profile(),
                route == null ? null : route.by(),
                result.prompt())));
    draft.to(new ItemPhase.Analyzed(terminal.ref().session()));
  }

  private static void retry(Draft draft, Requested wanted, TerminalEvent terminal) {
    Retry retry =
        Retry.after(
            counted(draft, terminal),
            terminal.failure(),
            terminal.reason(),
            terminal.tokens() > 0,
            wanted.outstanding().attempts(),
            wanted.outstanding().request(),
            draft.settings.retry());
    switch (retry) {
      case Retry.GivenUp up -> {
        RequestRules.withdraw(draft);
        RequestRules.dead(draft, up.reason());
      }
      case Retry.Again again -> again(draft, wanted, again.used(), again.after(), terminal);
    }
  }

  /**
   * The outcome by which attempts are counted. A session that only showed that the agent's earlier
   * one does not work any more is no attempt at the item. The limit on such sessions bounds them.
   */
  private static Outcome counted(Draft draft, TerminalEvent terminal) {
    return terminal.outcome() == Outcome.FAILED
            && AgentReuse.inVain(draft.known().sessions().getFirst(), terminal.failure())
        ? Outcome.INTERRUPTED
        : terminal.outcome();
  }

  private static void again(
      Draft draft,
      Requested wanted,
      ItemPhase.Attempts used,
      Duration after,
      TerminalEvent terminal) {
    if (after.isZero() || RequestRules.unaffordable(draft) != null) {
      RequestRules.publish(draft, wanted.verdict(), used.next());
      return;
    }
    RequestRules.withdraw(draft);
    var due = draft.now.plus(after);
    String reason = terminal.outcome().label() + ": " + terminal.reason();
    draft.to(new ItemPhase.Failed(used, wanted.verdict(), due, reason));
    draft.emit(
        EventType.ITEM_DEFERRED,
        Draft.about(draft.known().snapshot())
            .with(Field.REASON, reason)
            .with(Field.ATTEMPT, used.attempt())
            .with(Field.DUE, due));
  }

  /** The session has ended, so the snapshot that waited for its end is taken. */
  private static void next(Draft draft, Requested wanted, Pending pending, Outcome outcome) {
    ItemState state = draft.known();
    Snapshot next = pending.snapshot();
    boolean completed = outcome == Outcome.COMPLETED;
    if (!Sameness.same(state.snapshot(), next)) {
      if (!completed) {
        Intake.replaced(draft, state.snapshot(), next);
        RequestRules.withdraw(draft);
      }
      Intake.take(draft, next, pending.at());
      return;
    }
    draft.snapshot(next, pending.at(), state.phase());
    if (!completed && Intake.unwanted(next)) {
      Intake.endUnwanted(draft, next);
    } else if (!completed) {
      // The item was closed and reopened while its session was being ended: the same content still
      // needs its session.
      RequestRules.publish(draft, wanted.verdict(), wanted.outstanding().attempts().next());
    }
  }

  /** The phase with the outstanding request, if the ended session belongs to it. */
  private static @Nullable Requested wanted(@Nullable ItemState state, String request) {
    return state != null
            && state.phase() instanceof Requested wanted
            && wanted.outstanding().request().equals(request)
        ? wanted
        : null;
  }
}
