package dev.flyball.producer.source.walk;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What was read of a list. */
public sealed interface Walked<T extends Changed> {

  /** In the order in which they were read, each change once. */
  List<T> items();

  /** When the first page was answered, by the tracker's clock. */
  Instant began();

  /** The pause that the tracker asks for. */
  Duration pause();

  /** It was read to its end. */
  record Whole<T extends Changed>(List<T> items, Instant began, Duration pause)
      implements Walked<T> {
    public Whole {
      items = List.copyOf(items);
    }
  }

  /**
   * It was read up to a place, and goes on behind it.
   *
   * @param place every change that is older, and was there when the walk began, was read or made
   *     way for a newer one of its item; later than where the walk began to read
   */
  record Part<T extends Changed>(List<T> items, Instant began, Duration pause, Instant place)
      implements Walked<T> {
    public Part {
      items = List.copyOf(items);
    }
  }
}
