package dev.flyball.program.config;

import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.program.config.AgentEntries.ConfiguredAgent;
import dev.flyball.program.config.ConfigurationError.Problem;
import dev.flyball.program.config.NotifyEntries.ConfiguredTarget;
import dev.flyball.program.config.RouteEntries.ConfiguredRoute;
import dev.flyball.program.config.TokenEntries.ConfiguredToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The keys of the configuration that are lists; each entry is one record. */
enum EntryList {
  SOURCES(
      "sources",
      "a source",
      Integer.MAX_VALUE,
      ConfiguredSource.class,
      "{name: backlog, type: jsonl, path: backlog.jsonl}"),
  // More are a mistake: runners announce the names in each of their entries.
  AGENTS(
      "agents",
      "a profile of agents",
      23,
      ConfiguredAgent.class,
      "{name: deep, agent: claude, model: opus}"),
  ROUTES(
      "routes",
      "a route",
      Integer.MAX_VALUE,
      ConfiguredRoute.class,
      "{profile: deep, complexity: 4-5}"),
  NOTIFY(
      "notify",
      "a target of notify",
      NotifyConfig.MOST_TARGETS,
      ConfiguredTarget.class,
      "{type: slack, url-env: SLACK_URL, on: [dead, trouble]}"),
  TOKENS(
      "console.tokens",
      "a token of the console",
      1_000,
      ConfiguredToken.class,
      "{name: ann, token-env: ANNS_TOKEN, roles: [acme:operator]}");

  private final String key;
  private final String what;
  private final int most;
  private final Class<? extends Record> record;
  private final String example;

  EntryList(String key, String what, int most, Class<? extends Record> record, String example) {
    this.key = key;
    this.what = what;
    this.most = most;
    this.record = record;
    this.example = example;
  }

  /** The list that is written under a key. */
  static Optional<EntryList> under(String key) {
    return Stream.of(values()).filter(list -> list.key.equals(key)).findFirst();
  }

  /** The key under which it is written. */
  String key() {
    return key;
  }

  /** What an entry is, for messages. */
  String what() {
    return what;
  }

  /** What every entry becomes. */
  Class<? extends Record> record() {
    return record;
  }

  /** An entry, for messages. */
  String example() {
    return example;
  }

  /**
   * The keys of an entry.
   *
   * @param kind the value of the key that decides which ones there are; null if it is not known
   */
  List<Key<?>> keys(@Nullable String kind) {
    return KeyedRecords.keys(record, kind);
  }

  /**
   * Reads every entry, in the order in which they are written.
   *
   * @param nameOf the name that only one entry may have; null for none
   * @param made makes an entry's value; may reject what does not fit by {@link Rejected}
   * @throws ConfigurationError with every problem found
   */
  <R extends Record, T> List<T> read(
      Configuration configuration,
      Class<R> type,
      Function<R, @Nullable String> nameOf,
      BiFunction<ListEntry, R, T> made) {
    var problems = new ArrayList<Problem>();
    var places = new HashMap<String, String>();
    var all = new ArrayList<T>();
    List<ListEntry> entries = entries(configuration);
    for (ListEntry entry : entries) {
      entry
          .read(
              type,
              written -> {
                entry.requireUnique(nameOf.apply(written), places);
                return made.apply(entry, written);
              },
              problems)
          .ifPresent(all::add);
    }
    if (entries.size() > most) {
      problems.add(
          new Problem(key, key, entries.size() + " entries, at most " + most + " are possible"));
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationError(problems);
    }
    return all;
  }

  /**
   * One row for each key of each entry, as {@code config} shows them: with its default where it is
   * not written; of a secret only the place is shown.
   */
  List<Configuration.Row> rows(Configuration configuration) {
    var rows = new ArrayList<Configuration.Row>();
    for (ListEntry entry : entries(configuration)) {
      rows.addAll(entry.rows(key + "[" + entry.index() + "]."));
    }
    return rows;
  }

  private List<ListEntry> entries(Configuration configuration) {
    var entries = new ArrayList<ListEntry>();
    for (Map<String, Setting> written : configuration.list(key)) {
      entries.add(
          new ListEntry(
              this,
              entries.size(),
              this == SOURCES ? ConfiguredSource.withDefaults(configuration, written) : written));
    }
    return entries;
  }
}
