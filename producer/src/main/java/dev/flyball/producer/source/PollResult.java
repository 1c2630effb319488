package dev.flyball.producer.source;

import java.time.Duration;
import java.util.List;

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
   * @param retryAfter how long the tracker asks to be left alone although it answered, zero if it
   *     does not
   */
  record Read(
      List<RawItem> items,
      List<Unread> invalid,
      int lines,
      String cursor,
      int requests,
      Duration retryAfter)
      implements PollResult {
    public Read {
      items = List.copyOf(items);
      invalid = List.copyOf(invalid);
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
