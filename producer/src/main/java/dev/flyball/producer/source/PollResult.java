package dev.flyball.producer.source;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a source answered. */
public sealed interface PollResult {

  /**
   * It was read.
   *
   * @param items every snapshot in the source's order; several of one key are successive
   * @param invalid what could not be read
   * @param lines records seen, unreadable ones included
   * @param cursor where the next poll starts, in the source type's own words, without white space;
   *     the same as before if nothing new was found
   * @param requests calls made to the tracker
   * @param retryAfter the pause that the tracker asks for although it answered, zero if it does not
   * @param more whether there is more behind the cursor, which the next poll reads at once
   */
  record Read(
      List<RawItem> items,
      List<Unread> invalid,
      int lines,
      String cursor,
      int requests,
      Duration retryAfter,
      boolean more)
      implements PollResult {
    public Read {
      items = List.copyOf(items);
      invalid = List.copyOf(invalid);
    }

    /** One to whose end everything was read. */
    public Read(
        List<RawItem> items,
        List<Unread> invalid,
        int lines,
        String cursor,
        int requests,
        Duration retryAfter) {
      this(items, invalid, lines, cursor, requests, retryAfter, false);
    }

    /** This one and the next, which went on where this one ended. */
    public PollResult and(PollResult next) {
      return switch (next) {
        case Failed failed -> failed;
        case Read read ->
            new Read(
                joined(items, read.items),
                joined(invalid, read.invalid),
                lines + read.lines,
                read.cursor,
                requests + read.requests,
                read.retryAfter,
                read.more);
      };
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
      return Stream.concat(first.stream(), second.stream()).toList();
    }

    /** Whether it says that there is more and leads to no place but where it was asked from. */
    public boolean leadsNowhere(@Nullable String from) {
      return more && cursor.equals(from);
    }
  }

  /** It could not be read: nothing of it counts. */
  record Failed(Failure failure) implements PollResult {}

  /**
   * One record that could not be read.
   *
   * @param place the file's name, or the tracker's
   * @param line counted from 1; a tracker's running number
   * @param value what stands there, bounded
   */
  record Unread(String place, long line, String reason, String value) {}
}
