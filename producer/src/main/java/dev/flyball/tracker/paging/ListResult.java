package dev.flyball.tracker.paging;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one poll read of a list.
 *
 * @param items in the order in which they were read, each change once
 * @param began when the first page was answered, by the tracker's clock
 * @param pause the pause that the tracker asks for
 * @param place where the list goes on if it was read in part; null at its end. Every older change
 *     that was there when the reading began was read, or was replaced by a newer change of its item
 */
public record ListResult(
    List<ChangedEntry> items, Instant began, Duration pause, @Nullable Instant place) {
  public ListResult {
    items = List.copyOf(items);
  }
}
