package dev.flyball.tracker.azure.wiql;

import dev.flyball.tracker.Failure.Category;
import dev.flyball.tracker.SourceFailure;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a window in as many parts as needed, the oldest first. Each part is split in two until it
 * fits: an item that changes meanwhile moves to a part that is still to be read.
 */
public final class Bisection {
  /** Most queries of one poll. */
  static final int MOST_QUERIES = 200;

  /**
   * Most queries of one poll that may exceed the tracker's time limit: each costs it half a minute.
   */
  static final int MOST_TIMED_OUT = 8;

  private Bisection() {}

  /**
   * Everything in a window; an item that changed between two queries may be in it twice.
   *
   * @param advice what to do if a part does not fit although it cannot be split further
   * @throws SourceFailure if a part that cannot be split does not fit, or if it takes too many
   *     queries
   */
  public static <T> Found.All<T> read(
      ChangedWindow whole, Instant now, String advice, Function<ChangedWindow, Found<T>> ask) {
    var todo = new ArrayDeque<ChangedWindow>(List.of(whole));
    var items = new ArrayList<T>();
    @Nullable Instant asOf = null;
    int queries = 0;
    int timedOut = 0;
    while (!todo.isEmpty()) {
      ChangedWindow window = todo.removeFirst();
      switch (ask.apply(window)) {
        case Found.All<T> all -> {
          items.addAll(all.items());
          asOf = all.asOf();
        }
        case Found.TooMuch<T> tooMuch -> {
          timedOut += tooMuch.timedOut() ? 1 : 0;
          if (window.older(now).isEmpty() || timedOut > MOST_TIMED_OUT || queries >= MOST_QUERIES) {
            throw new SourceFailure(
                tooMuch.timedOut() ? Category.UNREACHABLE : Category.NOT_FOUND,
                tooMuch.why() + " (changes " + window + "); " + advice);
          }
          window.newer(now).ifPresent(todo::addFirst);
          window.older(now).ifPresent(todo::addFirst);
        }
      }
      queries++;
    }
    return new Found.All<>(items, asOf);
  }
}
