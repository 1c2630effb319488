package dev.flyball.tracker.azure;

import dev.flyball.tracker.azure.wiql.Bisection;
import dev.flyball.tracker.paging.ListResult;
import dev.flyball.tracker.paging.Listing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what changed, the oldest change first. The reading ends early when it has enough items for
 * one poll, or where the tracker asks for a long pause, but only where time advanced, so that the
 * next poll can continue from there.
 *
 * @param windows opens the windows of changes from a time on; null for all
 * @param requests how items are read
 * @param now our clock, where the tracker does not name its own time
 */
record AzureListing<T>(Windows<T> windows, Requests<T> requests, Instant now)
    implements Listing<AzureItem> {
  /** Items of one poll: they are held in memory, and committed together. */
  static final int ENOUGH = 2_000;

  /** An item unchanged for this long when a poll began was surely not edited during the poll. */
  private static final Duration REST = Duration.ofMinutes(1);

  /** By how much our clock may be ahead of the tracker's. */
  private static final Duration CLOCK_DOUBT = Duration.ofMinutes(5);

  /** How finely changes are stamped. */
  private static final Duration GRAIN = Duration.ofMillis(1);

  /** How the windows of changes are opened. */
  @FunctionalInterface
  interface Windows<T> {
    /** Sends no query yet. */
    Bisection<T> since(@Nullable Instant since);
  }

  /** The requests of one poll. */
  interface Requests<T> {
    /** The items of up to {@link AzureRest#BATCH} results of a query. */
    List<AzureItem> items(List<T> found);

    /** Whether the tracker asks for a longer pause than a poll waits. */
    boolean mustPause();

    /** The longest pause that it asked for. */
    Duration pause();
  }

  @Override
  public ListResult<AzureItem> read(@Nullable Instant since) {
    Bisection<T> bisection = windows.since(since);
    var read = new LinkedHashMap<String, AzureItem>();
    Instant began = null;
    Instant place = since;
    do {
      List<T> found = bisection.next(ENOUGH).stream().distinct().toList();
      began = began == null ? began(bisection) : began;
      for (int from = 0; from < found.size(); from += AzureRest.BATCH) {
        int to = Math.min(from + AzureRest.BATCH, found.size());
        for (AzureItem item : requests.items(found.subList(from, to))) {
          place = later(place, item, began);
          // A project that compares days only answers with items of the day before, too.
          if (since == null || !item.hasChangeBefore(since)) {
            read.put(item.change(), item);
          }
        }
        boolean advanced = place != null && !place.equals(since);
        boolean more = to < found.size() || !bisection.done();
        if (more && advanced && (read.size() >= ENOUGH || requests.mustPause())) {
          return listed(read, began, place);
        }
      }
    } while (!bisection.done());
    return listed(read, began, null);
  }

  private Instant began(Bisection<T> bisection) {
    Instant asOf = bisection.asOf();
    return asOf == null ? now.minus(CLOCK_DOUBT) : asOf;
  }

  /**
   * The time from which to continue after this item. Results are ordered by when items were
   * changed, but an item that was edited after the query shows a later time, and continuing from
   * there would leave out what lies between.
   */
  private static @Nullable Instant later(@Nullable Instant place, AzureItem item, Instant began) {
    Instant from = item.changedAt().minus(GRAIN);
    boolean resting = item.changedAt().isBefore(began.minus(REST));
    boolean known = !item.changedAt().equals(Instant.EPOCH);
    return known && resting && (place == null || from.isAfter(place)) ? from : place;
  }

  private ListResult<AzureItem> listed(
      LinkedHashMap<String, AzureItem> read, Instant began, @Nullable Instant place) {
    return new ListResult<>(new ArrayList<>(read.values()), began, requests.pause(), place);
  }
}
