package dev.flyball.tracker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a source answered to a poll.
 *
 * @param items every snapshot in the source's order; several of one key are successive
 * @param invalid records that could not be read
 * @param unknown how many records have a field that is not read, by its name; only of files
 * @param cursor where the next poll starts, in the source type's own notation, without white space;
 *     the same as before if nothing new was found
 * @param requests calls made to the tracker
 * @param retryAfter the pause that the tracker asks for although it answered, zero if it asks for
 *     none
 * @param more whether there is more after the cursor, which the next poll reads immediately
 * @param notRead which part of it could not be read and what helps, one line; null if all was
 */
public record PollResult(
    List<RawItem> items,
    List<Unread> invalid,
    Map<String, Integer> unknown,
    String cursor,
    int requests,
    Duration retryAfter,
    boolean more,
    @Nullable String notRead) {
  public PollResult {
    items = List.copyOf(items);
    invalid = List.copyOf(invalid);
    unknown = Map.copyOf(unknown);
  }

  /** A part of a file that changed or of a tracker's list, whose fields are all known. */
  public PollResult(List<RawItem> items, List<Unread> invalid, String cursor, int requests) {
    this(items, invalid, Map.of(), cursor, requests, Duration.ZERO, false, null);
  }

  /** The same of a source of which this was not read. */
  public PollResult without(String part) {
    return new PollResult(items, invalid, unknown, cursor, requests, retryAfter, more, part);
  }

  /** How many records were seen, unreadable ones included. */
  public int lines() {
    return items.size() + invalid.size();
  }

  /** This result and the next one together; the next one continued where this one ended. */
  public PollResult and(PollResult next) {
    return new PollResult(
        joined(items, next.items),
        joined(invalid, next.invalid),
        unknown,
        next.cursor,
        requests + next.requests,
        next.retryAfter,
        next.more,
        next.notRead);
  }

  private static <T> List<T> joined(List<T> first, List<T> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }

  /** Whether it says that there is more although its cursor is the one that the poll began with. */
  public boolean leadsNowhere(@Nullable String from) {
    return more && cursor.equals(from);
  }

  /**
   * One record that could not be read.
   *
   * @param place the file's name, or the tracker's
   * @param line counted from 1; a tracker's running number
   * @param value the record's text, bounded
   */
  public record Unread(String place, long line, String reason, String value) {
    /** The record and its reason, one line. */
    public String text() {
      return place + ":" + line + ": " + reason;
    }
  }
}
