package dev.flyball.contract.item;

import org.jspecify.annotations.Nullable;

/**
 * Why the configuration of its source takes an item for no session. The item is recorded as known,
 * and an operator can have it by {@code retry}.
 *
 * @param beforeStart whether it was last changed before the source's {@code start}
 * @param missing what {@code when} asks for and the item lacks, for example {@code label agent};
 *     null if it lacks nothing
 */
public record Exclusion(boolean beforeStart, @Nullable String missing) {
  /** The reason for which the item is skipped, one line. */
  public String reason() {
    return missing == null ? "before start" : "needs " + missing;
  }
}
