package dev.flyball.tracker.paging;

import dev.flyball.tracker.Watermark;
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
public record Reach(Duration overlap, Duration grain) {

  /**
   * The time from which a poll asks; empty for the beginning. Once a poll began so late that
   * everything up to the watermark was visible, only newer changes are asked for. Otherwise every
   * poll would read again a thousand issues that were edited together, until something else
   * changes.
   */
  public Optional<Instant> since(Bookmark start) {
    return switch (start) {
      case Bookmark.End(Watermark watermark) -> since(watermark);
      case Bookmark.Midst midst -> Optional.of(midst.place());
    };
  }

  private Optional<Instant> since(Watermark watermark) {
    Instant since = watermark.settled() ? next(watermark.at()) : watermark.at().minus(overlap);
    return Optional.of(since)
        .filter(from -> !watermark.at().equals(Instant.EPOCH) && from.isAfter(Instant.EPOCH));
  }

  /**
   * The time from which this poll or those after it read changes again; the epoch for all. A
   * reading in parts is followed by one from before it began, however far the parts have come.
   */
  Instant horizon(Bookmark start) {
    Instant since = since(start).orElse(Instant.EPOCH);
    return switch (start) {
      case Bookmark.End end -> since;
      case Bookmark.Midst midst -> earlier(since, midst.began().minus(overlap));
    };
  }

  /** Whether a poll from there reads the whole list, not only changes. */
  boolean afresh(Bookmark start) {
    return switch (start) {
      case Bookmark.End(Watermark watermark) -> since(watermark).isEmpty();
      case Bookmark.Midst midst -> midst.afresh();
    };
  }

  /** How far the list is read after a poll. */
  Bookmark after(Bookmark start, Walked<?> walked) {
    Instant began =
        switch (start) {
          case Bookmark.End end -> walked.began();
          case Bookmark.Midst midst -> midst.began();
        };
    Watermark before =
        switch (start) {
          case Bookmark.End end -> end.watermark();
          case Bookmark.Midst midst -> new Watermark(earlier(midst.place(), began), midst.query());
        };
    return switch (walked) {
      case Walked.Whole<?> whole -> new Bookmark.End(after(before, whole, began));
      case Walked.Part<?> part ->
          new Bookmark.Midst(part.place(), before.query(), began, afresh(start));
    };
  }

  /**
   * The watermark after the end of a list. It moves to the newest change, but never past the
   * reading's beginning: an item edited while the list was read may have been missed, and is read
   * again.
   */
  private Watermark after(Watermark start, Walked.Whole<?> walked, Instant began) {
    Watermark watermark = start;
    for (Changed item : walked.items()) {
      watermark = watermark.seen(earlier(item.changedAt(), began));
    }
    // Two grains more: the next request begins up to one grain later, and its time is rounded.
    Instant inSight = watermark.at().plus(overlap).plus(grain.multipliedBy(2));
    return began.isBefore(inSight) ? watermark : watermark.asSettled();
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
