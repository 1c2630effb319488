package dev.flyball.producer.source.walk;

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
}
