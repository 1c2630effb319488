package dev.flyball.tracker.paging;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What was read of a list. */
public sealed interface Walked<T extends Changed> {

  /** The items in the order in which they were read, each change once. */
  List<T> items();

  /** When the first page was answered, by the tracker's clock. */
  Instant began();

  /** The pause that the tracker asks for. */
  Duration pause();

  /** The list was read to its end. */
  record Whole<T extends Changed>(List<T> items, Instant began, Duration pause)
      implements Walked<T> {
    public Whole {
      items = List.copyOf(items);
    }
  }

  /**
   * The list was read up to a place, and goes on after it.
   *
   * @param place every older change that was there when the reading began was read, or was replaced
   *     by a newer change of its item; later than where the reading began
   */
  record Part<T extends Changed>(List<T> items, Instant began, Duration pause, Instant place)
      implements Walked<T> {
    public Part {
      items = List.copyOf(items);
    }
  }
}
