package dev.flyball.tracker.azure;

import dev.flyball.tracker.AsciiLine;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.azure.wiql.ChangedWindow;
import dev.flyball.tracker.azure.wiql.Wiql;
import java.util.List;
import java.util.function.Supplier;

/** A source's query; an error in it is a failure that its author must fix. */
final class ConfiguredQuery {
  private final String source;
  private final Wiql wiql;

  /**
   * Parses the query.
   *
   * @throws SourceFailure if it cannot be used
   */
  ConfiguredQuery(String source, String query) {
    this.source = source;
    this.wiql = usable(source, () -> Wiql.parse(query));
  }

  /** The query for what changed in a window. */
  String changedIn(ChangedWindow window, List<String> fields) {
    return usable(source, () -> wiql.changedIn(window, fields));
  }

  private static <T> T usable(String source, Supplier<T> part) {
    try {
      return part.get();
    } catch (IllegalArgumentException e) {
      throw new SourceFailure(
          Category.NOT_FOUND,
          source
              + ": sources[].query cannot be used: "
              + AsciiLine.part(String.valueOf(e.getMessage())));
    }
  }
}
