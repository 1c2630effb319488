package dev.flyball.tracker.paging;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list of items, oldest change first, and where to continue after it. Pure.
 *
 * <p>The list shifts while it is read: an item that is edited moves to its end, or leaves it if the
 * query no longer finds it. The items after it move up, and one of them moves from the beginning of
 * the next page to the end of this one, which is not read again. A page's number is therefore no
 * place to continue from. The time of a change is, because no unchanged item moves past it.
 *
 * @param next how the tracker names the next page, null on the last one
 * @param pause the pause that the tracker asks for after it
 * @param served when it was made, by the tracker's clock
 */
public record ChangePage(
    List<ChangedEntry> items, @Nullable String next, Duration pause, Instant served) {

  public ChangePage {
    items = List.copyOf(items);
  }

  /** The same page, confirmed by another answer with its pause and time. */
  public ChangePage confirmed(Duration pause, Instant served) {
    return new ChangePage(items, next, pause, served);
  }

  /**
   * The time from which to continue; empty if this page does not lead further than where it was
   * requested from.
   *
   * <p>Only items unchanged since before the poll count. One that was edited meanwhile may show its
   * new time in its old place, and continuing from there would leave out what lies between.
   *
   * @param grain how coarsely the tracker compares times. It is subtracted once, so that everything
   *     changed at the same time is read, whether the tracker means "at or after" or "after"
   */
  Optional<Instant> from(@Nullable Instant asked, Instant resting, Duration grain) {
    return resting(resting).stream()
        .map(ChangedEntry::changedAt)
        .max(Instant::compareTo)
        .map(newest -> newest.minus(grain))
        .filter(from -> asked == null || from.isAfter(asked));
  }

  /** The changes on this page that are older than this time. */
  Set<String> changesBefore(Instant resting) {
    var changes = new HashSet<String>();
    resting(resting).forEach(item -> changes.add(item.change()));
    return changes;
  }

  private List<ChangedEntry> resting(Instant resting) {
    return items.stream().filter(item -> item.changedAt().isBefore(resting)).toList();
  }
}
