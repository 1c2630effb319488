package dev.flyball.tracker.paging;

import dev.flyball.tracker.paging.ListedSource.ListResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How precise the times of a tracker's changes are. Pure.
 *
 * @param overlap how late a change may become visible after its stamp; during that time polls read
 *     again from so far before the newest change
 * @param grain how coarsely the tracker compares times
 */
public record ChangeTolerance(Duration overlap, Duration grain) {

  /**
   * The time from which a poll asks; empty for the beginning. Once a poll began so late that
   * everything up to the cursor was visible, only newer changes are asked for. Otherwise every poll
   * would read again a thousand issues that were edited together, until something else changes.
   */
  public Optional<Instant> since(TrackerCursor start) {
    if (start.partial()) {
      return Optional.of(start.at());
    }
    Instant since = start.settled() ? next(start.at()) : start.at().minus(overlap);
    return Optional.of(since)
        .filter(from -> !start.at().equals(Instant.EPOCH) && from.isAfter(Instant.EPOCH));
  }

  /**
   * The time from which this poll or those after it read changes again; the epoch for all. A
   * reading in parts is followed by one from before it began, however far the parts have come.
   */
  Instant horizon(TrackerCursor start) {
    Instant since = since(start).orElse(Instant.EPOCH);
    return start.began() == null ? since : earlier(since, start.began().minus(overlap));
  }

  /** Whether a poll from there reads the whole list, not only changes. */
  boolean fresh(TrackerCursor start) {
    return start.partial() ? start.fresh() : since(start).isEmpty();
  }

  /** How far the list is read after a poll. */
  TrackerCursor after(TrackerCursor start, ListResult listed) {
    Instant began = start.began() == null ? listed.began() : start.began();
    if (listed.place() != null) {
      return new TrackerCursor(listed.place(), start.query(), false, began, fresh(start));
    }
    return end(start, listed, began);
  }

  /**
   * The cursor after the end of a list. It moves to the newest change, but never past the reading's
   * beginning: an item edited while the list was read may have been missed, and is read again.
   */
  private TrackerCursor end(TrackerCursor start, ListResult listed, Instant began) {
    Instant at = start.partial() ? earlier(start.at(), began) : start.at();
    boolean settled = start.settled();
    for (ChangedEntry item : listed.items()) {
      Instant seen = earlier(item.changedAt(), began);
      if (seen.isAfter(at)) {
        at = seen;
        settled = false;
      }
    }
    // Two grains more: the next request begins up to one grain later, and its time is rounded.
    Instant visible = at.plus(overlap).plus(grain.multipliedBy(2));
    return new TrackerCursor(at, start.query(), settled || !began.isBefore(visible), null, false);
  }

  /** The first time that the tracker distinguishes from this one. */
  private Instant next(Instant at) {
    long grainMillis = grain.toMillis();
    return Instant.ofEpochMilli((at.toEpochMilli() / grainMillis + 1) * grainMillis);
  }

  private static Instant earlier(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }
}
