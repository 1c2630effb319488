package dev.flyball.triage.item;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import org.jspecify.annotations.Nullable;

/** Decides which commands make no sense in an item's state, and why: one line for the operator. */
final class CommandRules {
  private CommandRules() {}

  /** Why the command is rejected; null if it is not. */
  static @Nullable String of(@Nullable ItemState state, Command command) {
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
  static boolean newer(ItemState state, Snapshot seen) {
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
      case ItemPhase.New p -> "it already waits for its verdict";
      case ItemPhase.Triaging p -> "it already waits for its verdict";
      case ItemPhase.Queued p -> "its request already waits";
      case ItemPhase.Running p -> "its session " + p.session() + " runs; cancel it first";
      case ItemPhase.Closed p -> "it is closed; reopen it in its tracker";
      case ItemPhase.Skipped p -> null;
      case ItemPhase.Analyzed p -> null;
      case ItemPhase.Failed p -> null;
      case ItemPhase.Dead p -> null;
      case ItemPhase.Cancelled p -> null;
    };
  }
}
