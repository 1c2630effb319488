package dev.flyball.tracker.azure;

import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a window in as many parts as needed, the oldest first. Each part is split in two until it
 * fits: an item that changes meanwhile moves to a part that is still to be read. One instance for
 * each poll.
 */
final class Bisection {
  static final int MOST_QUERIES = 200;

  /** Most queries of a poll that may exceed the tracker's time limit: each costs half a minute. */
  static final int MOST_TIMED_OUT = 8;

  private final Instant now;
  private final String advice;
  private final Function<ChangedWindow, AzureRest.Found> query;
  private final Deque<ChangedWindow> todo = new ArrayDeque<>();
  private @Nullable Instant asOf;
  private int queries;
  private int timedOut;

  /**
   * Sends no query yet.
   *
   * @param advice what to do if a part does not fit although it cannot be split further
   */
  Bisection(
      ChangedWindow whole,
      Instant now,
      String advice,
      Function<ChangedWindow, AzureRest.Found> query) {
    this.now = now;
    this.advice = advice;
    this.query = query;
    todo.add(whole);
  }

  /**
   * The next items, at least so many unless the window ends before. An item that changed between
   * two queries may come twice.
   *
   * @throws SourceFailure if a part that cannot be split does not fit, or if it takes too many
   *     queries
   */
  List<Long> next(int enough) {
    var items = new ArrayList<Long>();
    while (!todo.isEmpty() && items.size() < enough) {
      ChangedWindow window = todo.removeFirst();
      switch (query.apply(window)) {
        case AzureRest.Found.All all -> {
          items.addAll(all.items());
          asOf = asOf == null ? all.asOf() : asOf;
        }
        case AzureRest.Found.TooMuch tooMuch -> split(window, tooMuch);
      }
      queries++;
    }
    return items;
  }

  private void split(ChangedWindow window, AzureRest.Found.TooMuch tooMuch) {
    List<ChangedWindow> halves = window.halves(now);
    timedOut += tooMuch.timedOut() ? 1 : 0;
    if (halves.isEmpty() || timedOut > MOST_TIMED_OUT || queries >= MOST_QUERIES) {
      throw new SourceFailure(
          tooMuch.timedOut() ? Category.UNREACHABLE : Category.NOT_FOUND,
          tooMuch.why() + " (changes " + window + "); " + advice);
    }
    halves.reversed().forEach(todo::addFirst);
  }

  boolean done() {
    return todo.isEmpty();
  }

  /** The tracker's own time of the first result, null if it named none. */
  @Nullable Instant asOf() {
    return asOf;
  }
}
