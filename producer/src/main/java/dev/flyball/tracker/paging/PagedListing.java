package dev.flyball.tracker.paging;

import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.paging.ListedSource.ListResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a list of changes although it shifts meanwhile ({@link ChangePage} says how); one instance
 * for each poll. The reading ends with the list. It ends early after a number of pages or where the
 * tracker asks for a pause, but only where time advanced, so that the next poll can continue from
 * there.
 *
 * <p>Page after page is requested from the time of the last change read. Where more items than fit
 * on a page were changed at one time, the tracker's own next page is requested instead. The same
 * stretch is then read again until it holds what it held before, because only a stretch that did
 * not shift was read whole.
 */
public final class PagedListing {
  /** An item unchanged for this long when a poll began was surely not edited during the poll. */
  private static final Duration REST = Duration.ofMinutes(1);

  /** How often a stretch is read again before the poll fails. */
  private static final int MOST_AGAIN = 5;

  /** More pages than any one time has; a list that goes on after them has no end. */
  private static final int MOST_PAGES = 10_000;

  /** Items that are asked for with a page; trackers give no more. */
  private static final int LARGEST = 100;

  /** A tracker that cannot answer with so few fails the poll. */
  private static final int SMALLEST = 5;

  /** Pages of one poll: their items are held in memory, and committed together. */
  private static final int PAGES_OF_A_POLL = 20;

  private final String tracker;
  private final Duration grain;
  private final ChangePages pages;
  private final int enough;
  private final Map<String, ChangedEntry> read = new LinkedHashMap<>();
  private Instant resting = Instant.MIN;
  private int count;
  private int size = LARGEST;

  /**
   * Sends no request yet.
   *
   * @param tracker its name for people
   */
  public PagedListing(String tracker, ChangeTolerance tolerance, ChangePages pages) {
    this(tracker, tolerance, pages, PAGES_OF_A_POLL);
  }

  /**
   * The same with another page limit.
   *
   * @param enough after how many pages it ends early
   */
  PagedListing(String tracker, ChangeTolerance tolerance, ChangePages pages, int enough) {
    this.tracker = tracker;
    this.grain = tolerance.grain();
    this.pages = pages;
    this.enough = enough;
  }

  /**
   * Reads everything from a change on, or from the first one; or the first part of that.
   *
   * @throws SourceFailure if not even a first part can be read safely
   */
  public ListResult read(@Nullable Instant since) {
    Instant asked = since;
    ChangePage page = from(since);
    Instant began = page.served();
    resting = began.minus(REST);
    while (page.next() != null) {
      Optional<Instant> on = page.from(asked, resting, grain);
      asked = on.orElse(asked);
      boolean mayNot = page.pause().isPositive();
      if (mayNot || (on.isPresent() && count >= enough)) {
        return part(since, asked, began, page.pause());
      }
      page = on.isPresent() ? from(asked) : pastTheMoment(page, asked);
    }
    return new ListResult(new ArrayList<>(read.values()), began, page.pause(), null);
  }

  /**
   * The part read so far. The reading ends here because it has enough pages, or because the tracker
   * would reject one more request and count it against us.
   */
  private ListResult part(
      @Nullable Instant since, @Nullable Instant place, Instant began, Duration pause) {
    if (place == null || place.equals(since)) {
      throw new SourceFailure(
          new TrackerFailure(
              Category.RATE_LIMITED,
              tracker
                  + ": the limit ends in the middle of items that were changed at one time; asked"
                  + " again in "
                  + pause.toSeconds()
                  + " s; a separate account has a separate limit",
              pause),
          null);
    }
    return new ListResult(new ArrayList<>(read.values()), began, pause, place);
  }

  /**
   * Follows the tracker's own pages through items that were changed at one time. Returns the page
   * that leads further than where the first was requested from, or the last page. If the tracker
   * asks for a pause before that is sure, returns the first page with that pause.
   */
  private ChangePage pastTheMoment(ChangePage first, @Nullable Instant asked) {
    Set<String> before = null;
    ChangePage page = first;
    for (int again = 0; again <= MOST_AGAIN; again++) {
      var held = new HashSet<>(page.changesBefore(resting));
      while (page.next() != null && page.from(asked, resting, grain).isEmpty()) {
        if (page.pause().isPositive()) {
          return first.confirmed(page.pause(), page.served());
        }
        page = taken(pages.next(page.next()));
        held.addAll(page.changesBefore(resting));
      }
      if (held.equals(before)) {
        return page;
      }
      if (page.pause().isPositive()) {
        return first.confirmed(page.pause(), page.served());
      }
      before = held;
      page = from(asked);
    }
    throw new SourceFailure(
        Category.UNREACHABLE,
        tracker
            + ": items that were changed at one time change faster than they can be read; the next"
            + " poll tries again");
  }

  /** From a change on, with smaller pages for the rest of the poll where a page is too much. */
  private ChangePage from(@Nullable Instant since) {
    while (true) {
      try {
        return taken(pages.from(since, size));
      } catch (SourceFailure e) {
        if (!e.tooMuch() || size == SMALLEST) {
          throw e;
        }
        size = Math.max(SMALLEST, size / 4);
      }
    }
  }

  private ChangePage taken(ChangePage page) {
    if (++count > MOST_PAGES) {
      throw new SourceFailure(
          Category.MALFORMED,
          tracker + ": the list has no end after " + MOST_PAGES + " pages; check url and query");
    }
    for (ChangedEntry item : page.items()) {
      // The later reading of a change replaces the earlier one, in case two edits at one time
      // differ.
      read.remove(item.change());
      read.put(item.change(), item);
    }
    return page;
  }

  /** Requests pages of a tracker's list, for one poll. */
  public interface ChangePages {
    /**
     * The first page, from this change on.
     *
     * @param since null for the beginning of the list
     * @param size how many items it holds at most
     */
    ChangePage from(@Nullable Instant since, int size);

    /** The page after the one requested last, by the tracker's name for it. */
    ChangePage next(String name);
  }
}
