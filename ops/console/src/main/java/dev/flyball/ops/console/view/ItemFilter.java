package dev.flyball.ops.console.view;

import org.jspecify.annotations.Nullable;

/**
 * Which items are asked for; null matches all.
 *
 * @param state the state's word
 * @param tenant the tenant
 * @param text a part of the key or the title, whatever the case of its ASCII letters
 * @param limit most rows answered
 */
public record ItemFilter(
    @Nullable String state, @Nullable String tenant, @Nullable String text, int limit) {
  /** Most rows answered unless asked otherwise. */
  public static final int DEFAULT_LIMIT = 1_000;

  /** Everything, up to the default limit. */
  public static final ItemFilter ALL = new ItemFilter(null, null, null, DEFAULT_LIMIT);

  /** Of one state. */
  public static ItemFilter ofState(String state) {
    return new ItemFilter(state, null, null, DEFAULT_LIMIT);
  }
}
