package dev.flyball.contract.topic;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A record that could not be read, or an item that was given up; the value of {@code dead-letters},
 * under its original key.
 *
 * @param reason one line for a person
 * @param topic the topic that it came from
 * @param partition -1 if it never was in a topic (a line of a file)
 * @param offset the record's offset, or the line's number, starting at 1; {@link #NO_OFFSET} for a
 *     value of a store
 * @param value the original bytes as UTF-8 text, cut at 65,536 characters; null for a tombstone
 */
public record DeadLetter(
    String reason,
    String topic,
    int partition,
    long offset,
    @Nullable String value,
    String by,
    Instant at) {
  /** Longest original value kept, in characters. */
  public static final int MAX_VALUE = 64 * 1024;

  /** The value came from a store, which does not keep the offset of its record. */
  public static final long NO_OFFSET = -1;
}
