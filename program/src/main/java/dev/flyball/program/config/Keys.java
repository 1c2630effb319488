package dev.flyball.program.config;

import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.prompt.Search;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.triage.TriageConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Every key, by name. Keys are defined where their values are used: by a {@link
 * dev.flyball.contract.config.ConfigKey} on a component of an app's configuration record, or here
 * where the program itself uses them. Keys of an app's record have a constant only where the
 * program reads them, too. What the keys of this class mean is on the page docs/configuration.md,
 * from which the release's schema has it.
 */
public final class Keys {
  /** The keys that no app's own record has. */
  private static final List<Key<?>> OWN = new ArrayList<>();

  private static final ValueType<String> ADDRESS =
      ValueType.matching(
          "an http or https address without user, query and fragment",
          "https?://[A-Za-z0-9.:_\\[\\]-]+(/[A-Za-z0-9._~%/-]*)?");

  public static final Key<String> TENANT =
      own("tenant", ValueType.matching("[a-z0-9-]+", "[a-z0-9-]+"), SourceConfig.DEFAULT_TENANT);

  public static final Key<Path> DATA = own("data", ValueType.PATH, ".flyball");

  public static final Key<ListenAddress> ADMIN_LISTEN =
      own("admin.listen", ValueType.LISTEN, "127.0.0.1:0");

  public static final Key<String> RUNNER_ID =
      own(
          "runner.id",
          ValueType.matching("1 to 64 letters, digits, dots, _ or -", "[A-Za-z0-9._-]{1,64}"),
          null);

  public static final Key<String> LOG_LEVEL =
      own("log.level", ValueType.oneOf("error", "warn", "info", "debug"), "info");
  public static final Key<String> LOG_FORMAT =
      own("log.format", ValueType.oneOf("text", "ecs"), "text");

  public static final Key<ListenAddress> PUSH_LISTEN = own("push.listen", ValueType.LISTEN, null);
  public static final List<Key<Credential>> PUSH_SECRET = secret("push.secret");

  public static final Key<String> TRACES_ENDPOINT = own("traces.endpoint", ADDRESS, null);
  public static final Key<String> TRACES_LINK =
      own(
          "traces.link",
          ValueType.matching(
              "an http or https address with {trace}",
              "https?://[^\\s\"<>{}]+\\{trace\\}[^\\s\"<>{}]*"),
          null);

  public static final Key<String> CLASSIFIER =
      own("triage.classifier", ValueType.oneOf("rules", "agent", "messages"), null);
  public static final Key<String> TRIAGE_AGENT =
      own(
          "triage.agent",
          ValueType.program(
              "a profile of agents, " + AgentProgram.known(), "command:.+|[a-z0-9-]{1,32}"),
          null);
  public static final Key<String> TRIAGE_MODEL = own("triage.model", ValueType.MODEL, null);
  public static final Key<ModelApi> TRIAGE_API =
      own("triage.api", ValueType.ofEnum(ModelApi.class), "messages");
  public static final Key<String> TRIAGE_URL = own("triage.url", ADDRESS, null);
  public static final List<Key<Credential>> TRIAGE_TOKEN = secret("triage.token");
  public static final Key<Long> TRIAGE_INPUT_PRICE =
      own("triage.prices.input", ValueType.MICROS, null);
  public static final Key<Long> TRIAGE_OUTPUT_PRICE =
      own("triage.prices.output", ValueType.MICROS, null);
  public static final Key<Path> TRIAGE_PROMPT = own("triage.prompt", ValueType.PATH, null);
  public static final Key<Duration> TRIAGE_TIMEOUT =
      own("triage.timeout", ValueType.POSITIVE_DURATION, "2m");
  public static final Key<Long> TRIAGE_BUDGET = own("triage.budget.usd", ValueType.MICROS, "0.10");

  public static final Key<AgentProgram> AGENT = own("sessions.agent", ValueType.AGENT, "scout");
  public static final Key<String> MODEL = own("sessions.model", ValueType.MODEL, null);
  public static final Key<Path> DEEP_PROMPT = own("sessions.prompt", ValueType.PATH, null);
  public static final Key<Search> SEARCH =
      own("sessions.search", ValueType.ofEnum(Search.class), "bounded");
  public static final Key<RepositoryAddress> REPO = own("sessions.repo", ValueType.REPOSITORY, ".");
  public static final List<Key<Credential>> REPO_TOKEN = secret("sessions.repo-token");
  public static final Key<String> SESSION_USER =
      own(
          "sessions.user",
          ValueType.matching("the name of a user of this machine", "[A-Za-z0-9_.-]{0,64}"),
          null);
  public static final Key<String> SESSION_NETWORK =
      own("sessions.network", ValueType.oneOf("none", "host"), null);

  public static final Key<Long> DAILY_BUDGET = own("budget.daily.usd", ValueType.MICROS, null);

  public static final Key<ListenAddress> CONSOLE_LISTEN =
      own("console.listen", ValueType.LISTEN, "127.0.0.1:8321");
  public static final Key<String> CONSOLE_URL = own("console.url", ADDRESS, null);
  public static final Key<List<String>> CONSOLE_HOSTS = own("console.hosts", ValueType.NAMES, null);
  public static final Key<Path> CONSOLE_KEY_STORE =
      own("console.tls.key-store", ValueType.PATH, null);
  public static final List<Key<Credential>> CONSOLE_TLS_PASSWORD = secret("console.tls.password");

  public static final Key<ListenAddress> BROKER_LISTEN =
      own("broker.listen", ValueType.LISTEN, "127.0.0.1:9092");
  public static final Key<Duration> BROKER_WAIT = own("broker.wait", ValueType.DURATION, "5m");
  public static final Key<Path> BROKER_DATA = own("broker.data", ValueType.PATH, null);

  public static final Key<String> TOPICS_PREFIX =
      own(
          "topics.prefix",
          ValueType.matching(
              "letters, digits, _ - . with a dot at the end", "[A-Za-z0-9_-][A-Za-z0-9._-]*\\."),
          "flyball.");
  public static final Key<Integer> TOPICS_REPLICATION =
      own(
          "topics.replication",
          ValueType.whole(1, 100).map(Math::toIntExact),
          "" + KafkaSettings.DEFAULT_REPLICATION);

  private static final List<Key<?>> ALL =
      Stream.concat(
              OWN.stream(),
              Stream.of(
                      ProducerConfig.defaults(Path.of(""), List.of()),
                      TriageConfig.defaults(Path.of("")),
                      RunnerConfig.defaults("default", Path.of(""), Path.of("")))
                  .flatMap(defaults -> Section.keys(defaults.getClass(), defaults)))
          .sorted(Comparator.comparing(Key::name))
          .toList();

  private static final Map<String, Key<?>> BY_NAME =
      ALL.stream().collect(Collectors.toUnmodifiableMap(Key::name, Function.identity()));

  public static final Key<Integer> CAP = key("cap");
  public static final Key<Duration> WALL_CLOCK = key("sessions.wall-clock");
  public static final Key<Duration> GRACE = key("sessions.grace");
  public static final Key<Duration> DRAIN = key("sessions.drain");
  public static final Key<Integer> ATTEMPTS = key("sessions.attempts");
  public static final Key<Integer> SLOTS = key("sessions.slots");
  public static final Key<Long> SESSION_BUDGET = key("sessions.budget.usd");

  private Keys() {}

  /** Every key. */
  public static List<Key<?>> all() {
    return ALL;
  }

  static Optional<Key<?>> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  private static <T> Key<T> own(String name, ValueType<T> type, @Nullable String initial) {
    var key = new Key<>(name, type, initial, "", false, "");
    OWN.add(key);
    return key;
  }

  private static List<Key<Credential>> secret(String name) {
    List<Key<Credential>> places = Key.ofSecret(name, "", "");
    OWN.addAll(places);
    return places;
  }

  /** The key of a name that some record has, with the type of the record's component. */
  @SuppressWarnings("unchecked")
  private static <T> Key<T> key(String name) {
    return (Key<T>) named(name).orElseThrow(() -> new IllegalStateException("no key " + name));
  }
}
