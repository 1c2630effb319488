package dev.flyball.tracker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a source answered to a poll. */
public sealed interface PollResult {

  /**
   * The source was read.
   *
   * @param items every snapshot in the source's order; several of one key are successive
   * @param invalid records that could not be read
   * @param unknown how many records have a field that is not read, by its name; only of files
   * @param cursor where the next poll starts, in the source type's own notation, without white
   *     space; the same as before if nothing new was found
   * @param requests calls made to the tracker
   * @param retryAfter the pause that the tracker asks for although it answered, zero if it asks for
   *     none
   * @param more whether there is more after the cursor, which the next poll reads immediately
   * @param notRead which part of it could not be read and what helps, one line; null if all was
   */
  record Read(
      List<RawItem> items,
      List<Unread> invalid,
      Map<String, Integer> unknown,
      String cursor,
      int requests,
      Duration retryAfter,
      boolean more,
      @Nullable String notRead)
      implements PollResult {
    public Read {
      items = List.copyOf(items);
      invalid = List.copyOf(invalid);
      unknown = Map.copyOf(unknown);
    }

    /** A part of a file that changed or of a tracker's list, whose fields are all known. */
    public Read(List<RawItem> items, List<Unread> invalid, String cursor, int requests) {
      this(items, invalid, Map.of(), cursor, requests, Duration.ZERO, false, null);
    }

    /** The same of a source of which this was not read. */
    public Read without(String part) {
      return new Read(items, invalid, unknown, cursor, requests, retryAfter, more, part);
    }

    /** How many records were seen, unreadable ones included. */
    public int lines() {
      return items.size() + invalid.size();
    }

    /** This result and the next one together; the next one continued where this one ended. */
    public PollResult and(PollResult next) {
      return switch (next) {
        case Failed failed -> failed;
        case Read read ->
            new Read(
                joined(items, read.items),
                joined(invalid, read.invalid),
                unknown,
                read.cursor,
                requests + read.requests,
                read.retryAfter,
                read.more,
                read.notRead);
      };
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
      return Stream.concat(first.stream(), second.stream()).toList();
    }

    /**
     * Whether it says that there is more although its cursor is the one that the poll began with.
     */
    public boolean leadsNowhere(@Nullable String from) {
      return more && cursor.equals(from);
    }
  }

  /** The source could not be read: nothing of it is used. */
  record Failed(TrackerFailure failure) implements PollResult {}

  /**
   * One record that could not be read.
   *
   * @param place the file's name, or the tracker's
   * @param line counted from 1; a tracker's running number
   * @param value the record's text, bounded
   */
  record Unread(String place, long line, String reason, String value) {
    /** The record and its reason, one line. */
    public String text() {
      return place + ":" + line + ": " + reason;
    }
  }
}
