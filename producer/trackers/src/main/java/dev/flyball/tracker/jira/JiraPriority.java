package dev.flyball.tracker.jira;

import dev.flyball.tracker.RawItem;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Jira's priorities as numbers, 1 the most urgent, as everywhere here. */
final class JiraPriority {
  private static final Map<String, Integer> NAMES =
      Map.ofEntries(
          Map.entry("highest", 1),
          Map.entry("blocker", 1),
          Map.entry("critical", 1),
          Map.entry("p1", 1),
          Map.entry("high", 2),
          Map.entry("major", 2),
          Map.entry("p2", 2),
          Map.entry("medium", 3),
          Map.entry("p3", 3),
          Map.entry("low", 4),
          Map.entry("minor", 4),
          Map.entry("p4", 4),
          Map.entry("lowest", 5),
          Map.entry("trivial", 5),
          Map.entry("p5", 5));

  /** Ids that every new site has, whatever the names in its language. */
  private static final Map<String, Integer> IDS = Map.of("1", 1, "2", 2, "3", 3, "4", 4, "5", 5);

  private JiraPriority() {}

  /**
   * The number of a priority, by its name, or by its id if that is one of the first five; the
   * middle for any other.
   */
  static int of(JiraIssue.@Nullable Priority priority) {
    if (priority == null) {
      return RawItem.MIDDLE_PRIORITY;
    }
    Integer named = NAMES.get(priority.name().strip().toLowerCase(Locale.ROOT));
    return named == null ? IDS.getOrDefault(priority.id(), RawItem.MIDDLE_PRIORITY) : named;
  }
}
