package dev.flyball.program.config;

import dev.flyball.ops.console.notify.NotifyTarget;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Turns the entries of {@code notify} into targets of notifications. */
final class NotifyEntries {
  private static final String NOTIFY = "notify";

  private NotifyEntries() {}

  /**
   * The targets, in the order in which they are written.
   *
   * @throws ConfigurationError with every problem found
   */
  static List<NotifyTarget> of(Configuration configuration) {
    var problems = new ArrayList<String>();
    var targets = new ArrayList<NotifyTarget>();
    var places = new HashMap<String, String>();
    for (Map<String, Setting> entry : configuration.list(NOTIFY)) {
      ListEntry.read(
              "a target of notify",
              entry,
              ConfiguredTarget.class,
              written -> target(written, entry, places),
              problems)
          .ifPresent(targets::add);
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationError(problems);
    }
    return targets;
  }

  private static NotifyTarget target(
      ConfiguredTarget written, Map<String, Setting> entry, Map<String, String> places) {
    Setting at = entry.getOrDefault("name", entry.get("type"));
    String first = places.putIfAbsent(written.shownName(), at == null ? NOTIFY : at.origin());
    if (first != null) {
      throw new IllegalArgumentException(
          "name "
              + written.shownName()
              + " is used twice, first at "
              + first
              + "; give each target a name");
    }
    return written.target();
  }

  static List<Configuration.Row> rows(Configuration configuration) {
    return ListEntry.rows(configuration, NOTIFY, ConfiguredTarget.class).toList();
  }
}
