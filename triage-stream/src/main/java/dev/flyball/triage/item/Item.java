package dev.flyball.triage.item;

import dev.flyball.contract.state.ItemState;
import org.jspecify.annotations.Nullable;

/**
 * All that the machine knows of one item.
 *
 * @param state null before the first snapshot is taken in
 * @param memory kept apart from the state, because a claim may be read for an item without a state
 */
public record Item(@Nullable ItemState state, Memory memory) {
  /** An item without any record. */
  public static final Item UNKNOWN = new Item(null, Memory.NONE);
}
