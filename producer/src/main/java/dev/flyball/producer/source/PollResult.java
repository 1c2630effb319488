package dev.flyball.producer.source;

import java.util.List;

/** What a source answered. */
public sealed interface PollResult {

  /**
   * It was read.
   *
   * @param items every snapshot in the source's order; several of one key are successive
   * @param invalid what could not be read
   * @param lines records seen, unreadable ones included
   * @param cursor where the next poll starts, in the source type's own words
   * @param requests calls made to the tracker
   */
  record Read(List<RawItem> items, List<Unread> invalid, int lines, String cursor, int requests)
      implements PollResult {
    public Read {
      items = List.copyOf(items);
      invalid = List.copyOf(invalid);
    }
  }

  /** It could not be read at all: one line, what, where and the mend. */
  record Unreadable(String reason) implements PollResult {}

  /**
   * One record that could not be read.
   *
   * @param place the file's name
   * @param line counted from 1
   * @param value what stands there, bounded
   */
  record Unread(String place, long line, String reason, String value) {}
}
