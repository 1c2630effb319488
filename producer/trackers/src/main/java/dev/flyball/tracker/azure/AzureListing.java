package dev.flyball.tracker.azure;

import dev.flyball.tracker.azure.wiql.Bisection;
import dev.flyball.tracker.paging.ChangedEntry;
import dev.flyball.tracker.paging.ListResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads what changed, the oldest change first. The reading ends early when it has enough items for
 * one poll, or where the tracker asks for a long pause, but only where time advanced, so that the
 * next poll can continue from there.
 *
 * @param windows what changed, not read yet
 * @param items reads up to {@link AzureRest#BATCH} results of a query as items
 * @param pace the pauses that the tracker asks for
 * @param now our clock, where the tracker does not name its own time
 */
record AzureListing<T>(
    Bisection<T> windows,
    Function<List<T>, List<ChangedEntry>> items,
    RequestPauses pace,
    Instant now) {
  /** Items of one poll: they are held in memory, and committed together. */
  static final int ENOUGH = 2_000;

  /** An item unchanged for this long when a poll began was surely not edited during the poll. */
  private static final Duration REST = Duration.ofMinutes(1);

  /** By how much our clock may be ahead of the tracker's. */
  private static final Duration CLOCK_DOUBT = Duration.ofMinutes(5);

  /** How finely changes are stamped. */
  private static final Duration GRAIN = Duration.ofMillis(1);

  /**
   * Reads what changed, or the first part of that.
   *
   * @param since from when the windows begin; null for the beginning
   */
  ListResult read(@Nullable Instant since) {
    var read = new LinkedHashMap<String, ChangedEntry>();
    Instant began = null;
    Instant place = since;
    do {
      List<T> found = windows.next(ENOUGH).stream().distinct().toList();
      began = began == null ? began() : began;
      for (int from = 0; from < found.size(); from += AzureRest.BATCH) {
        int to = Math.min(from + AzureRest.BATCH, found.size());
        for (ChangedEntry item : items.apply(found.subList(from, to))) {
          place = later(place, item, began);
          // A project that compares days only answers with items of the day before, too.
          if (since == null || !changedBefore(item, since)) {
            read.put(item.change(), item);
          }
        }
        boolean advanced = place != null && !place.equals(since);
        boolean more = to < found.size() || !windows.done();
        if (more && advanced && (read.size() >= ENOUGH || pace.tooLong())) {
          return listed(read, began, place);
        }
      }
    } while (!windows.done());
    return listed(read, began, null);
  }

  private Instant began() {
    Instant asOf = windows.asOf();
    return asOf == null ? now.minus(CLOCK_DOUBT) : asOf;
  }

  /**
   * The time from which to continue after this item. Results are ordered by when items were
   * changed, but an item that was edited after the query shows a later time, and continuing from
   * there would leave out what lies between.
   */
  private static @Nullable Instant later(
      @Nullable Instant place, ChangedEntry item, Instant began) {
    Instant from = item.changedAt().minus(GRAIN);
    boolean resting = item.changedAt().isBefore(began.minus(REST));
    boolean known = !item.changedAt().equals(Instant.EPOCH);
    return known && resting && (place == null || from.isAfter(place)) ? from : place;
  }

  /** Whether it says that it was changed before a time. */
  private static boolean changedBefore(ChangedEntry item, Instant time) {
    return item.changedAt().isBefore(time) && !item.changedAt().equals(Instant.EPOCH);
  }

  private ListResult listed(
      LinkedHashMap<String, ChangedEntry> read, Instant began, @Nullable Instant place) {
    return new ListResult(new ArrayList<>(read.values()), began, pace.longest(), place);
  }
}
