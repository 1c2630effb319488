package dev.flyball.ops.console.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which items are returned; null matches all.
 *
 * @param state the state's name
 * @param tenant the tenant
 * @param text a part of the key or the title, whatever the case of its ASCII letters
 * @param limit most rows returned
 */
public record ItemFilter(
    @Nullable String state, @Nullable String tenant, @Nullable String text, int limit) {
  /** The names of all states, in the order of an item's life. */
  public static final List<String> STATES =
      List.of(
          "new",
          "triaging",
          "skipped",
          "queued",
          "running",
          "analyzed",
          "failed",
          "dead",
          "cancelled",
          "closed");

  /** Most rows returned unless given. */
  public static final int DEFAULT_LIMIT = 1_000;

  /** A filter that matches every item, up to the default limit. */
  public static final ItemFilter ALL = new ItemFilter(null, null, null, DEFAULT_LIMIT);

  /** All items of one state. */
  public static ItemFilter ofState(String state) {
    return new ItemFilter(state, null, null, DEFAULT_LIMIT);
  }
}
