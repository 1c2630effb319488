package dev.flyball.producer.source.walk;

import dev.flyball.producer.source.Watermark;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What was read of a list.
 *
 * @param items in the order in which they were read, each change once
 * @param began when the first page was answered, by the tracker's clock
 * @param pause how long the tracker asks to be left alone
 */
public record Walked<T extends Changed>(List<T> items, Instant began, Duration pause) {
  public Walked {
    items = List.copyOf(items);
  }

  /**
   * Moved on to the newest change, but never behind the beginning: what was edited while the list
   * was read may have been passed by, and is read again.
   */
  public Watermark after(Watermark start) {
    Watermark watermark = start;
    for (T item : items) {
      Instant change = item.changedAt();
      watermark = watermark.seen(change.isAfter(began) ? began : change);
    }
    return watermark;
  }
}
