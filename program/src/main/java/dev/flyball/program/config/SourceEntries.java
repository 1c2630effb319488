package dev.flyball.program.config;

import dev.flyball.producer.ProducerApp;
import dev.flyball.program.config.ConfigurationError.Problem;
import dev.flyball.tracker.OptIn;
import dev.flyball.tracker.SourceConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Turns the entries of {@code sources} into what the producer polls and where sessions work. */
final class SourceEntries {
  private SourceEntries() {}

  /**
   * All sources, in the order in which they are written.
   *
   * @throws ConfigurationError with every problem found
   */
  static List<ConfiguredSource> of(Configuration configuration) {
    var problems = new ArrayList<Problem>();
    var places = new HashMap<String, String>();
    var all = new ArrayList<ConfiguredSource>();
    for (Map<String, Setting> settings : configuration.sources()) {
      type(settings, problems)
          .map(type -> new SourceEntry(configuration, settings, type))
          .flatMap(entry -> {
            entry.check();
            return entry.value(
                ConfiguredSource.class, made -> checked(made, entry, places, problems), problems);
          })
          .ifPresent(all::add);
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationError(problems);
    }
    return all;
  }

  /**
   * One row for each key that a source has or could have, with its default; of a secret only the
   * place is shown.
   */
  static List<Configuration.Row> rows(Configuration configuration) {
    var rows = new ArrayList<Configuration.Row>();
    for (int i = 0; i < configuration.sources().size(); i++) {
      Map<String, Setting> settings = configuration.sources().get(i);
      ListEntry entry =
          type(settings, new ArrayList<>())
              .<ListEntry>map(type -> new SourceEntry(configuration, settings, type))
              .orElseGet(() -> new ListEntry("", "sources", settings, SourceType.COMMON));
      rows.addAll(entry.rows("sources", i));
    }
    return rows;
  }

  /** The type that an entry names; empty, with a problem added, if it names no known type. */
  private static Optional<SourceType> type(Map<String, Setting> settings, List<Problem> problems) {
    Setting type = settings.get(SourceType.TYPE.name());
    String allowed = SourceType.TYPE.type().allowed();
    if (type == null) {
      Setting first = settings.get("");
      String where = first == null ? "sources" : first.origin();
      problems.add(new Problem(where, "type", "a source needs a type, " + allowed));
      return Optional.empty();
    }
    Optional<SourceType> named = SourceType.named(type.raw());
    if (named.isEmpty()) {
      problems.add(
          new Problem(type.origin(), "type", "type '" + type.raw() + "' is not " + allowed));
    }
    return named;
  }

  private static ConfiguredSource checked(
      ConfiguredSource made,
      SourceEntry entry,
      Map<String, String> places,
      List<Problem> problems) {
    SourceConfig source = made.source();
    String where = entry.where("");
    String first = places.putIfAbsent(source.key(), where);
    if (first != null) {
      problems.add(
          new Problem(
              where, "name", "source " + source.key() + " is configured twice, first at " + first));
    }
    OptIn optIn = source.rules().optIn();
    if (source instanceof SourceConfig.Jsonl && optIn.assignee() != null) {
      throw new ListEntry.Rejected(
          "when.assignee",
          "when.assignee: a line of an items file has no assignee; use when.labels");
    }
    ListEntry.check("query", () -> ProducerApp.check(source));
    return made;
  }
}
