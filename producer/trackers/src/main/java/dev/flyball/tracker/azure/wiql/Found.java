package dev.flyball.tracker.azure.wiql;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a window of changes contained. */
public sealed interface Found<T> {

  /**
   * All of it.
   *
   * @param items the oldest change first
   * @param asOf the tracker's own time of the result, null if it named none
   */
  record All<T>(List<T> items, @Nullable Instant asOf) implements Found<T> {
    public All {
      items = List.copyOf(items);
    }
  }

  /**
   * The result does not fit into one answer.
   *
   * @param why one line
   * @param timedOut whether the query exceeded the tracker's time limit, rather than its item limit
   */
  record TooMuch<T>(String why, boolean timedOut) implements Found<T> {}
}
