package dev.flyball.producer.source.walk;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list of items, oldest change first, and what is to be asked after it. Pure.
 *
 * <p>The list shifts while it is read: an item that is edited moves to its end, or leaves it if the
 * query does not find it any more; those behind it move up, and one of them moves from the
 * beginning of the next page to the end of this one, where nobody looks again. A page's number is
 * therefore no place to go on from; the time of a change is, because nothing that stays unchanged
 * moves past it.
 *
 * @param next how the tracker names the next page, null on the last one
 * @param pause the pause that the tracker asks for after it
 * @param served when it was made, by the tracker's clock
 */
public record ChangePage<T extends Changed>(
    List<T> items, @Nullable String next, Duration pause, Instant served) {

  public ChangePage {
    items = List.copyOf(items);
  }

  /** The same page as another answer confirms it. */
  public ChangePage<T> confirmed(Duration pause, Instant served) {
    return new ChangePage<>(items, next, pause, served);
  }

  /**
   * From where to ask on; empty if this page does not lead further than where it was asked from.
   *
   * <p>Only items that rested since before the poll count: one that was edited meanwhile may show
   * its new time in its old place, and going on from there would leave out what lies between.
   *
   * @param grain how coarsely the tracker compares times; one of it less, so that whatever was
   *     changed at the same time is read, whether the tracker means "at or after" or "after"
   */
  Optional<Instant> from(@Nullable Instant asked, Instant resting, Duration grain) {
    return resting(resting).stream()
        .map(Changed::changedAt)
        .max(Instant::compareTo)
        .map(newest -> newest.minus(grain))
        .filter(from -> asked == null || from.isAfter(asked));
  }

  /** The changes on it that are older than that. */
  Set<String> changesBefore(Instant resting) {
    var changes = new HashSet<String>();
    resting(resting).forEach(item -> changes.add(item.change()));
    return changes;
  }

  private List<T> resting(Instant resting) {
    return items.stream().filter(item -> item.changedAt().isBefore(resting)).toList();
  }
}
