package dev.flyball.ops.console.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One dead letter, without the value that could not be read.
 *
 * @param place {@code partition.offset} in dead-letters, after which the next page begins
 * @param key the item, if it has one
 * @param topic the topic that it came from
 * @param partition -1 if it never was in a topic
 * @param offset the record's offset there, or the line's number
 * @param by the role that gave it up
 * @param now the item's current state; null if no item has this key
 */
public record DeadLetterRow(
    String place,
    @Nullable String key,
    Instant at,
    String reason,
    String topic,
    int partition,
    long offset,
    String by,
    @Nullable String now) {
  /** Whether a text names a place; any other would silently be the first one. */
  public static boolean isPlace(String text) {
    return text.matches("[0-9]{1,9}\\.[0-9]{1,18}");
  }
}
