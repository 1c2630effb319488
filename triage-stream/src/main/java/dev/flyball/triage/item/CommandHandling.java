package dev.flyball.triage.item;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemPhase.Attempts;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.state.ItemState.Pending;
import dev.flyball.contract.triage.Verdict;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Carries out operators' commands. The item takes the commanded state immediately. A session that
 * runs then is no longer wanted, so its runner ends it, and its terminal event follows. Every
 * command is answered by exactly one event; write-back answers redeliveries.
 */
final class CommandHandling {
  /** The status of an item without a state. */
  static final String UNKNOWN = "unknown";

  /** The model and batch of a verdict that an operator gave. */
  private static final String OPERATOR = "operator";

  private static final int SOME_COMPLEXITY = 3;

  private CommandHandling() {}

  static void given(Draft draft, Command command) {
    if (command instanceof Command.Redeliver) {
      return;
    }
    ItemState state = draft.state();
    EventData answer =
        EventData.EMPTY
            .with(Field.COMMAND, command.word())
            .with(Field.COMMAND_ID, command.id())
            .with(Field.WHO, command.who())
            .with(Field.BEFORE, word(state));
    String refusal = refusal(draft, command);
    if (refusal != null) {
      draft.emit(EventType.COMMAND_REFUSED, answer.with(Field.REASON, refusal));
      return;
    }
    if (state != null && state.phase() instanceof ItemPhase.Running running) {
      answer = answer.with(Field.SESSION, running.session());
    }
    carryOut(draft, command);
    draft.memory = draft.memory.obey(command.id());
    draft.emit(
        EventType.COMMAND_DONE,
        answer.with(Field.REASON, command.why()).with(Field.AFTER, word(draft.state())));
  }

  private static @Nullable String refusal(Draft draft, Command command) {
    if (draft.memory.obeyed(command.id())) {
      return "it was already carried out";
    }
    String senseless = senseless(draft.state(), command);
    boolean costs = command instanceof Command.Retry || command instanceof Command.Requeue;
    return senseless == null && costs && draft.state() != null
        ? RequestRules.unaffordable(draft)
        : senseless;
  }

  private static void carryOut(Draft draft, Command command) {
    String reason = "by " + command.who() + (command.why().isBlank() ? "" : ": " + command.why());
    switch (command) {
      case Command.Cancel c -> cancel(draft, reason);
      case Command.Skip s ->
          end(draft, new ItemPhase.Skipped(reason), EventType.ITEM_SKIPPED, reason);
      case Command.Forget f -> forget(draft, reason);
      case Command.Retry r -> retry(draft, reason);
      case Command.Requeue r -> requeue(draft, r, reason);
      case Command.Redeliver r -> throw new IllegalArgumentException("write-back carries it out");
      case Command.Poll p -> throw new IllegalArgumentException("it is rejected before");
    }
  }

  private static void cancel(Draft draft, String reason) {
    end(draft, new ItemPhase.Cancelled(reason), EventType.ITEM_CANCELLED, reason);
  }

  /** Ends an unsettled item, including a snapshot that waits for the session's end. */
  private static void end(Draft draft, ItemPhase phase, EventType type, String reason) {
    ItemState state = draft.known();
    Pending pending = state.pending();
    RequestRules.withdraw(draft);
    if (pending == null) {
      draft.to(phase);
    } else {
      if (!Sameness.same(state.snapshot(), pending.snapshot())) {
        Intake.replaced(draft, state.snapshot(), pending.snapshot());
      }
      draft.snapshot(pending.snapshot(), pending.at(), phase);
    }
    draft.emit(type, draft.known().snapshot(), reason);
  }

  /** An unsettled item is cancelled first, so that it has its one end. */
  private static void forget(Draft draft, String reason) {
    if (!draft.known().phase().settled()) {
      cancel(draft, reason);
    }
    draft.emit(EventType.ITEM_FORGOTTEN, draft.known().snapshot(), reason);
    draft.forget();
  }

  private static void retry(Draft draft, String reason) {
    ItemState state = draft.known();
    reopen(draft, reason);
    // An item that waited for its next attempt keeps its age; any other begins to wait now.
    Instant since =
        state.phase() instanceof ItemPhase.Failed failed ? failed.attempts().since() : null;
    RequestRules.publish(draft, overruled(draft, state, reason), Attempts.FIRST.since(since));
  }

  /**
   * Returns the verdict under a new id, because requests are named after it and each name is used
   * once. It is the operator's verdict if the classifier saw no need or never answered.
   */
  private static Verdict overruled(Draft draft, ItemState state, String reason) {
    String id = draft.origin.id(draft.key);
    Verdict known = state.verdict();
    int complexity = known == null ? SOME_COMPLEXITY : known.complexity();
    List<String> modules = known == null ? List.of() : known.modules();
    int priority = known == null ? state.snapshot().priority() : known.priority();
    Verdict agreed = known != null && known.needsDeepAnalysis() ? known : null;
    return new Verdict(
        id,
        true,
        complexity,
        modules,
        priority,
        agreed == null ? reason : agreed.reason(),
        agreed == null ? OPERATOR : agreed.model(),
        agreed == null ? OPERATOR : agreed.batch(),
        0,
        agreed == null ? null : agreed.prompt());
  }

  private static void requeue(Draft draft, Command.Requeue command, String reason) {
    ItemState state = draft.state();
    if (state == null || newer(state, command.snapshot())) {
      draft.stoodAt(command.from());
      Intake.seen(draft, command.snapshot());
    } else {
      reopen(draft, reason);
      RequestRules.ask(draft, 1);
    }
  }

  /** A settled snapshot has had its end; what follows is a new beginning. */
  private static void reopen(Draft draft, String reason) {
    if (draft.known().phase().settled()) {
      draft.emit(EventType.ITEM_REOPENED, draft.known().snapshot(), reason);
    }
  }

  private static String word(@Nullable ItemState state) {
    return state == null ? UNKNOWN : state.phase().word();
  }

  /** Why the command makes no sense in the item's state, one line; null if it does. */
  private static @Nullable String senseless(@Nullable ItemState state, Command command) {
    if (state == null) {
      return command instanceof Command.Requeue ? null : "the item is unknown";
    }
    return switch (command) {
      case Command.Cancel cancel -> cancel(state.phase(), cancel.session());
      case Command.Skip skip -> settled(state.phase());
      case Command.Forget forget -> null;
      case Command.Redeliver redeliver -> null;
      case Command.Poll poll -> "a source is polled, not an item";
      case Command.Retry retry -> retry(state.phase());
      case Command.Requeue requeue ->
          state.phase() instanceof ItemPhase.Dead || newer(state, requeue.snapshot())
              ? null
              : "it is " + state.phase().word() + " and knows this snapshot or a newer one";
    };
  }

  /** Whether a snapshot is certainly newer than all that the item knows. */
  private static boolean newer(ItemState state, Snapshot seen) {
    Snapshot latest = state.pending() == null ? state.snapshot() : state.pending().snapshot();
    return latest.changedAt() != null
        && seen.changedAt() != null
        && seen.changedAt().isAfter(latest.changedAt())
        && !Sameness.same(latest, seen);
  }

  private static @Nullable String cancel(ItemPhase phase, @Nullable String session) {
    if (session == null) {
      return settled(phase);
    }
    return phase instanceof ItemPhase.Running running && running.session().equals(session)
        ? null
        : "session " + session + " no longer runs for this item, which is now " + phase.word();
  }

  private static @Nullable String settled(ItemPhase phase) {
    return phase.settled() ? "it is " + phase.word() + " already" : null;
  }

  private static @Nullable String retry(ItemPhase phase) {
    return switch (phase) {
      case ItemPhase.New _, ItemPhase.Triaging _ -> "it already waits for its verdict";
      case ItemPhase.Queued p -> "its request already waits";
      case ItemPhase.Running p -> "its session " + p.session() + " runs; cancel it first";
      case ItemPhase.Closed p -> "it is closed; reopen it in its tracker";
      case ItemPhase.Skipped _,
          ItemPhase.Analyzed _,
          ItemPhase.Failed _,
          ItemPhase.Dead _,
          ItemPhase.Cancelled _ ->
          null;
    };
  }
}
