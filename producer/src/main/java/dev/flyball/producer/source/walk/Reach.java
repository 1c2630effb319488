package dev.flyball.producer.source.walk;

import dev.flyball.producer.source.Watermark;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How far the times of a tracker's changes can be trusted. Pure.
 *
 * @param overlap how late a change may come into sight after its stamp: so long everything is read
 *     again from so far before the newest change
 * @param grain how coarsely the tracker compares times
 */
public record Reach(Duration overlap, Duration grain) {

  /**
   * From where a poll asks; empty for the beginning. Once a poll began so late that everything up
   * to the watermark was in sight, only what is newer is asked for: otherwise a thousand issues
   * that were edited at once would be read again by every poll until something else changes.
   */
  public Optional<Instant> since(Watermark watermark) {
    Instant since = watermark.settled() ? next(watermark.at()) : watermark.at().minus(overlap);
    return Optional.of(since)
        .filter(from -> !watermark.at().equals(Instant.EPOCH) && from.isAfter(Instant.EPOCH));
  }

  /**
   * The watermark after a poll. It moves on to the newest change, but never behind the poll's
   * beginning: what was edited while the list was read may have been passed by, and is read again.
   */
  public Watermark after(Watermark start, Walked<?> walked) {
    Watermark watermark = start;
    for (Changed item : walked.items()) {
      Instant change = item.changedAt();
      watermark = watermark.seen(change.isAfter(walked.began()) ? walked.began() : change);
    }
    // Two grains more, since what is asked for next begins up to one grain later, and rounded.
    Instant inSight = watermark.at().plus(overlap).plus(grain.multipliedBy(2));
    return walked.began().isBefore(inSight) ? watermark : watermark.asSettled();
  }

  /** The first time that the tracker can tell from this one. */
  private Instant next(Instant at) {
    long grainMillis = grain.toMillis();
    return Instant.ofEpochMilli((at.toEpochMilli() / grainMillis + 1) * grainMillis);
  }
}
