package dev.flyball.program.config;

import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.program.config.ConfigurationError.Problem;
import dev.flyball.program.config.ConfiguredProfiles.ConfiguredAgent;
import dev.flyball.program.config.ConfiguredProfiles.ConfiguredRoute;
import dev.flyball.program.config.ConsoleAddress.ConfiguredToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A key of the configuration whose value is a list; each entry is one record.
 *
 * @param what what an entry is, for messages
 * @param most how many there may be
 * @param example an entry, for messages
 * @param name the name of an entry that no other may have; null where they need none
 */
record EntryList<R extends Record>(
    String key,
    String what,
    int most,
    Class<R> record,
    String example,
    Function<R, @Nullable String> name) {
  static final EntryList<ConfiguredSource> SOURCES =
      new EntryList<>(
          "sources",
          "a source",
          Integer.MAX_VALUE,
          ConfiguredSource.class,
          "{name: backlog, type: jsonl, path: backlog.jsonl}",
          each -> each.source().key());

  // More are a mistake: runners announce the names in each of their entries.
  static final EntryList<ConfiguredAgent> AGENTS =
      new EntryList<>(
          "agents",
          "a profile of agents",
          23,
          ConfiguredAgent.class,
          "{name: deep, agent: claude, model: opus}",
          ConfiguredAgent::name);

  static final EntryList<ConfiguredRoute> ROUTES =
      new EntryList<>(
          "routes",
          "a route",
          Integer.MAX_VALUE,
          ConfiguredRoute.class,
          "{profile: deep, complexity: 4-5}",
          _ -> null);

  static final EntryList<ConfiguredTarget> NOTIFY =
      new EntryList<>(
          "notify",
          "a target of notify",
          20,
          ConfiguredTarget.class,
          "{type: slack, url-env: SLACK_URL, on: [dead, trouble]}",
          ConfiguredTarget::shownName);

  static final EntryList<ConfiguredToken> TOKENS =
      new EntryList<>(
          "console.tokens",
          "a token of the console",
          1_000,
          ConfiguredToken.class,
          "{name: ann, token-env: ANNS_TOKEN, roles: [acme:operator]}",
          ConfiguredToken::name);

  static final List<EntryList<?>> ALL = List.of(SOURCES, AGENTS, ROUTES, NOTIFY, TOKENS);

  static Optional<EntryList<?>> under(String key) {
    return ALL.stream().filter(list -> list.key.equals(key)).findFirst();
  }

  /** What is wrong with the entries of all lists, each by itself. */
  static List<Problem> problems(Configuration configuration) {
    var problems = new ArrayList<Problem>();
    for (EntryList<?> list : ALL) {
      try {
        var _ = list.read(configuration, it -> it);
      } catch (ConfigurationError e) {
        problems.addAll(e.problems());
      }
    }
    return problems;
  }

  /**
   * The keys of an entry.
   *
   * @param settings what is written in it: one key may decide which others there are
   */
  List<Key<?>> keys(Map<String, Setting> settings) {
    var entry = new Section(what, settings, key);
    entry.entry(record, _ -> {});
    return entry.keys();
  }

  /**
   * Reads every entry, in the order in which they are written.
   *
   * @param made makes an entry's value; may reject what does not fit
   * @throws ConfigurationError with every problem found
   */
  <T> List<T> read(Configuration configuration, Function<R, T> made) {
    var problems = new ArrayList<Problem>();
    var places = new HashMap<String, String>();
    var all = new ArrayList<T>();
    List<Map<String, Setting>> entries = entries(configuration);
    for (Map<String, Setting> written : entries) {
      var entry = new Section(what, written, Objects.requireNonNull(written.get("")).origin());
      entry.entry(
          record,
          read -> {
            String own = name.apply(read);
            String first = own == null ? null : places.putIfAbsent(own, entry.where("name"));
            if (first != null) {
              throw new ConfigurationError(
                  "name", "name " + own + " is used twice, first at " + first + "; choose another");
            }
            all.add(made.apply(read));
          });
      problems.addAll(entry.problems());
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
    List<Map<String, Setting>> entries = entries(configuration);
    for (int i = 0; i < entries.size(); i++) {
      String prefix = place(i);
      Map<String, Setting> entry = entries.get(i);
      keys(entry)
          .forEach(it -> rows.add(Configuration.row(prefix + it.name(), it, entry.get(it.name()))));
    }
    return rows;
  }

  /** Under which name it is kept where an entry begins, and with it the entry's keys. */
  String place(int index) {
    return key + "[" + index + "].";
  }

  private List<Map<String, Setting>> entries(Configuration configuration) {
    List<Map<String, Setting>> written = configuration.entries(this);
    return equals(SOURCES)
        ? written.stream().map(it -> ConfiguredSource.withDefaults(configuration, it)).toList()
        : written;
  }
}
