package dev.flyball.program.config;

import dev.flyball.producer.ProducerApp;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceConfig.Identity;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.WriteBack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Turns the entries of {@code sources} into what the producer polls and where sessions work. */
final class SourceEntries {
  private final String tenant;
  private final Duration programLimit;
  private final List<String> problems = new ArrayList<>();
  private final Map<String, String> places = new HashMap<>();

  private SourceEntries(String tenant, Duration programLimit) {
    this.tenant = tenant;
    this.programLimit = programLimit;
  }

  /**
   * All sources, in the order in which they are written.
   *
   * @throws ConfigurationError with every problem found
   */
  static List<ConfiguredSource> of(Configuration configuration) {
    var entries =
        new SourceEntries(
            configuration.get(Keys.TENANT), configuration.get(Keys.SUBPROCESS_TIMEOUT));
    var all = new ArrayList<ConfiguredSource>();
    for (Map<String, Setting> source : configuration.sources()) {
      entries.source(new SourceEntry(source, entries.problems)).ifPresent(all::add);
    }
    if (!entries.problems.isEmpty()) {
      throw new ConfigurationError(entries.problems);
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
      String prefix = "sources[" + i + "].";
      for (Key<?> key : keys(settings)) {
        Setting setting = settings.get(key.name());
        rows.add(
            setting == null
                ? new Configuration.Row(
                    prefix + key.name(), Objects.requireNonNullElse(key.initial(), ""), "default")
                : new Configuration.Row(
                    prefix + key.name(), SourceKeys.shown(key, setting.raw()), setting.origin()));
      }
    }
    return rows;
  }

  private static List<Key<?>> keys(Map<String, Setting> settings) {
    return new SourceEntry(settings, new ArrayList<>())
        .type()
        .map(SourceType::keys)
        .orElse(SourceKeys.COMMON);
  }

  private Optional<ConfiguredSource> source(SourceEntry entry) {
    Optional<SourceType> type = entry.type();
    if (type.isEmpty()) {
      return Optional.empty();
    }
    entry.check(type.get());
    Credential token = token(entry, type.get());
    WriteBack writeBack = writeBack(entry, type.get(), token);
    revisit(entry);
    return entry.right() ? made(entry, type.get(), token, writeBack) : Optional.empty();
  }

  private Optional<ConfiguredSource> made(
      SourceEntry entry, SourceType type, Credential token, WriteBack writeBack) {
    try {
      var identity =
          new Identity(
              entry.find(SourceKeys.TENANT).orElse(tenant),
              entry.get(SourceKeys.NAME),
              entry.get(SourceKeys.INTERVAL));
      SourceConfig source = limited(type.made(entry, identity, rules(entry, writeBack), token));
      String first = places.putIfAbsent(source.key(), entry.where());
      if (first != null) {
        entry.problem(
            entry.where(), "source " + source.key() + " is configured twice, first at " + first);
      }
      floor(source);
      ProducerApp.check(source);
      return Optional.of(
          new ConfiguredSource(
              source, entry.findPath(SourceKeys.REPO), entry.find(SourceKeys.BRANCH)));
    } catch (IllegalArgumentException e) {
      String message = DurationText.readable(String.valueOf(e.getMessage()));
      entry.problem(where(entry, type, message), message);
      return Optional.empty();
    }
  }

  /** Applies subprocess.timeout, the limit for every tracker program, to the source. */
  private SourceConfig limited(SourceConfig source) {
    return source instanceof SourceConfig.AzureDevOpsCli az
        ? new SourceConfig.AzureDevOpsCli(
            az.identity(), az.rules(), az.url(), az.query(), az.program(), programLimit)
        : source;
  }

  private static SourceRules rules(SourceEntry entry, WriteBack writeBack) {
    return new SourceRules(
        entry.find(SourceKeys.FINGERPRINT).orElse(List.of()),
        new HashSet<>(entry.get(SourceKeys.CLOSED_STATES)),
        entry.get(SourceKeys.UNASSIGNED).equals("closed"),
        entry.find(SourceKeys.ME).orElse(null),
        entry.get(SourceKeys.REVISIT),
        writeBack);
  }

  private static Credential token(SourceEntry entry, SourceType type) {
    if (!type.login().takesToken()) {
      return new Credential.None();
    }
    Credential token = entry.token(SourceKeys.TOKEN_ENV, SourceKeys.TOKEN_FILE);
    boolean named = entry.has(SourceKeys.TOKEN_ENV) || entry.has(SourceKeys.TOKEN_FILE);
    if (!named && type.login() == SourceType.Login.TOKEN) {
      entry.problem(
          entry.where(),
          "a source of type "
              + type.label()
              + " needs a token; name its environment variable with token-env, or its file with"
              + " token-file");
    }
    return token;
  }

  private static WriteBack writeBack(SourceEntry entry, SourceType type, Credential token) {
    String where = entry.where(SourceKeys.WRITE_BACK);
    return switch (entry.find(SourceKeys.WRITE_BACK).orElse("off")) {
      case "comment" -> {
        noWebhook(entry);
        if (!type.comments()) {
          entry.problem(where, "a source of type " + type.label() + " takes no comments");
        } else if (token instanceof Credential.None) {
          entry.problem(where, "comments need a token: token-env or token-file");
        }
        yield new WriteBack.Comment();
      }
      case "webhook" -> {
        Credential bearer =
            entry.token(SourceKeys.WEBHOOK_TOKEN_ENV, SourceKeys.WEBHOOK_TOKEN_FILE);
        if (!entry.has(SourceKeys.WEBHOOK_URL)) {
          entry.problem(where, "write-back: webhook needs webhook-url");
        }
        yield entry
            .find(SourceKeys.WEBHOOK_URL)
            .<WriteBack>map(url -> new WriteBack.Webhook(url, bearer))
            .orElseGet(WriteBack.Off::new);
      }
      default -> {
        noWebhook(entry);
        yield new WriteBack.Off();
      }
    };
  }

  /** Reports a webhook that is configured but never called as a mistake. */
  private static void noWebhook(SourceEntry entry) {
    for (Key<?> key :
        List.of(
            SourceKeys.WEBHOOK_URL, SourceKeys.WEBHOOK_TOKEN_ENV, SourceKeys.WEBHOOK_TOKEN_FILE)) {
      if (entry.has(key)) {
        entry.problem(entry.where(key), key.name() + " needs write-back: webhook");
      }
    }
  }

  private static void floor(SourceConfig source) {
    if (source.interval().compareTo(source.floor()) < 0) {
      throw new IllegalArgumentException(
          "interval " + source.interval() + " is below the floor of " + source.floor());
    }
  }

  private static void revisit(SourceEntry entry) {
    @Nullable Duration revisit = entry.find(SourceKeys.REVISIT).orElse(null);
    if (revisit != null && revisit.compareTo(SourceConfig.TRACKER_FLOOR) < 0) {
      entry.problem(
          entry.where(SourceKeys.REVISIT),
          "revisit "
              + DurationText.format(revisit)
              + " is below the floor of "
              + DurationText.format(SourceConfig.TRACKER_FLOOR));
    }
  }

  /** The line of the key that an error names, else that of the entry. */
  private static String where(SourceEntry entry, SourceType type, String message) {
    return type.keys().stream()
        .filter(key -> entry.has(key) && message.matches("(?s).*\\b" + key.name() + "\\b.*"))
        .findFirst()
        .map(entry::where)
        .orElseGet(entry::where);
  }
}
