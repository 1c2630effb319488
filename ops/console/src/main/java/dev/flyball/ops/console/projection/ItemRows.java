package dev.flyball.ops.console.projection;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.ops.console.view.ItemRow;
import org.jspecify.annotations.Nullable;

/** An item's state as the row that people see. Pure. */
final class ItemRows {
  private ItemRows() {}

  /** The row of a state; an item that is not settled waits since this state began. */
  static ItemRow of(ItemKey key, ItemState state) {
    return new ItemRow(
        key.toString(),
        state.snapshot().title(),
        state.phase().word(),
        reason(state.phase()),
        state.snapshot().revision(),
        state.snapshot().priority(),
        state.snapshot().url(),
        state.updatedAt(),
        state.phase().settled() && state.pending() == null ? null : state.updatedAt(),
        state.spentMicros());
  }

  private static @Nullable String reason(ItemPhase phase) {
    return switch (phase) {
      case ItemPhase.New p -> null;
      case ItemPhase.Triaging p -> null;
      case ItemPhase.Skipped p -> p.reason();
      case ItemPhase.Queued p -> p.verdict().reason();
      case ItemPhase.Running p -> "session " + p.session() + " on " + p.runner();
      case ItemPhase.Analyzed p -> null;
      case ItemPhase.Failed p -> p.reason() + "; next attempt due " + p.due();
      case ItemPhase.Dead p -> p.reason();
      case ItemPhase.Cancelled p -> p.reason();
      case ItemPhase.Closed p -> p.reason();
    };
  }
}
