package dev.flyball.tracker.azure.wiql;

import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a window of changes contained. */
public sealed interface Found {

  /**
   * The items, of a query that names them by their ids.
   *
   * @throws SourceFailure if they do not fit
   */
  default List<Long> byId() {
    return switch (this) {
      case All all -> all.items();
      case TooMuch tooMuch ->
          throw new SourceFailure(
              Category.UNREACHABLE, tooMuch.why() + "; it is asked again at the next check");
    };
  }

  /**
   * What a rejection of a query means; empty if it has another reason than the result's size.
   *
   * @param message of Azure DevOps, without secrets
   */
  static Optional<Found> rejected(String source, String message) {
    boolean timedOut = message.contains("VS402335");
    return timedOut || message.contains("VS402337")
        ? Optional.of(new TooMuch(source + ": " + message, timedOut))
        : Optional.empty();
  }

  /**
   * All of it.
   *
   * @param items the oldest change first
   * @param asOf the tracker's own time of the result, null if it named none
   */
  record All(List<Long> items, @Nullable Instant asOf) implements Found {
    public All {
      items = List.copyOf(items);
    }
  }

  /**
   * The result does not fit into one answer.
   *
   * @param why one line
   * @param timedOut whether the query exceeded the tracker's time limit, rather than its item limit
   */
  record TooMuch(String why, boolean timedOut) implements Found {}
}
