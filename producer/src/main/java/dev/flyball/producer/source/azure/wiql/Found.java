package dev.flyball.producer.source.azure.wiql;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a window of changes held. */
public sealed interface Found<T> {

  /**
   * All of it.
   *
   * @param items the oldest change first
   * @param asOf the tracker's own time of it, null if it did not say
   */
  record All<T>(List<T> items, @Nullable Instant asOf) implements Found<T> {
    public All {
      items = List.copyOf(items);
    }
  }

  /**
   * Not all of it fits into one answer.
   *
   * @param why one line
   * @param timedOut whether it took the tracker too long, rather than being too many
   */
  record TooMuch<T>(String why, boolean timedOut) implements Found<T> {}
}
