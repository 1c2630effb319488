package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.producer.ProducerApp;
import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceConfig.GitHub;
import dev.flyball.tracker.SourceConfig.Jsonl;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.WriteBack;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One source: what the producer polls, and where sessions of its items work. Its components are the
 * keys of an entry in the list of sources.
 */
public record ConfiguredSource(SourceConfig source, Place place) {
  /**
   * Where sessions work.
   *
   * @param repository null for {@code sessions.repo}
   * @param token what the server of a repository by URL wants to see
   * @param branch of that repository; null for the folder as it is
   */
  public record Place(
      @ConfigKey(name = "repo") @Nullable RepositoryAddress repository,
      @ConfigKey(
              name = "branch",
              matches =
                  "(?!.*(\\.\\.|//|/\\.|\\.lock(/|$)))[A-Za-z0-9_][A-Za-z0-9_./+-]{0,199}(?<![/.])",
              allowed = "a branch, for example main or release/1.2")
          @Nullable String branch,
      @ConfigKey(name = "repo-token") Credential token) {
    /** The folder of {@code sessions.repo} as it is. */
    public static final Place USUAL = new Place(null, null, new Credential.None());
  }

  /** Rejects values that do not fit each other. */
  public ConfiguredSource {
    boolean file = source instanceof Jsonl;
    SourceRules rules = source.rules();
    atLeast(file ? Jsonl.FLOOR : SourceConfig.TRACKER_FLOOR, "interval", source.interval());
    atLeast(SourceConfig.TRACKER_FLOOR, "revisit", rules.revisit());
    if (file && rules.optIn().assignee() != null) {
      throw new ConfigurationError(
          "when.assignee",
          "when.assignee: a line of an items file has no assignee; use when.labels");
    } else if (file && rules.writeBack() instanceof WriteBack.Comment) {
      throw new ConfigurationError("write-back", "a source of type jsonl takes no comments");
    } else if (rules.writeBack() instanceof WriteBack.Comment
        && source instanceof GitHub it
        && it.token() instanceof Credential.None) {
      throw new ConfigurationError(
          "write-back", "comments need a token: token-env, token-file or token-command");
    }
    ConfigurationError.check("query", () -> ProducerApp.check(source));
  }

  /**
   * All sources, in the order in which they are written.
   *
   * @throws ConfigurationError with every problem found
   */
  static List<ConfiguredSource> all(Configuration configuration) {
    return EntryList.SOURCES.read(configuration, each -> each);
  }

  /** An entry with what applies where it names nothing. */
  static Map<String, Setting> withDefaults(
      Configuration configuration, Map<String, Setting> written) {
    var all = new LinkedHashMap<>(written);
    Setting type = written.get("type");
    String start = type != null && type.raw().equals("jsonl") ? "all" : "now";
    all.putIfAbsent("tenant", initial(configuration.get(Keys.TENANT)));
    all.putIfAbsent("start", initial(start));
    return all;
  }

  private static Setting initial(String value) {
    return new Setting(value, Configuration.DEFAULT_ORIGIN, Path.of(""));
  }

  private static void atLeast(Duration floor, String key, Duration every) {
    if (every.compareTo(floor) < 0) {
      throw new ConfigurationError(
          key,
          key + " " + TimeSpan.exact(every) + " is below the floor of " + TimeSpan.exact(floor));
    }
  }

  /**
   * The sources of another configuration that can take effect immediately. Runners know only since
   * their start where sessions of a source work. A source whose place has changed would be polled
   * for sessions in the wrong repository.
   *
   * @param polled what is to be polled from now on
   * @param later one phrase for each source that waits for a restart
   */
  public record Reload(List<SourceConfig> polled, List<String> later) {
    public Reload {
      polled = List.copyOf(polled);
      later = List.copyOf(later);
    }

    /**
     * What those of another configuration are.
     *
     * @param started the configuration with which the runners were started
     * @param polled what is polled until now
     */
    public static Reload of(
        Configuration started, Configuration next, Collection<SourceConfig> polled) {
      Map<String, Place> places =
          all(started).stream()
              .collect(Collectors.toMap(it -> it.source().key(), ConfiguredSource::place));
      var now = new ArrayList<SourceConfig>();
      var later = new ArrayList<String>();
      for (ConfiguredSource source : all(next)) {
        String key = source.source().key();
        if (source.place().equals(places.getOrDefault(key, Place.USUAL))) {
          now.add(source.source());
          continue;
        }
        Optional<SourceConfig> kept =
            polled.stream().filter(it -> it.key().equals(key)).findFirst();
        kept.ifPresent(now::add);
        later.add(
            "source "
                + key
                + ": its repository counts from the next start; "
                + (kept.isPresent() ? "polled as before until then" : "not polled until then"));
      }
      return new Reload(now, later);
    }
  }
}
