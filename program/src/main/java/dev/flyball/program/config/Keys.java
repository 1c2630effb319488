package dev.flyball.program.config;

import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.program.classifier.ModelApi;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.triage.TriageConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every key, in the order in which {@code config} shows them. Keys are defined where their values
 * are used: by a {@link dev.flyball.contract.config.ConfigKey} on a component of an app's
 * configuration record. Only keys that the program itself reads have a constant here.
 */
public final class Keys {
  private static final List<String> SECTIONS =
      List.of(
          "tenant",
          "data",
          "cap",
          "poll",
          "breaker",
          "text",
          "fingerprint",
          "triage",
          "ledger",
          "sessions",
          "budget",
          "items",
          "gate",
          "containment",
          "console",
          "broker",
          "admin",
          "runner",
          "topics",
          "log");

  private static final List<Key<?>> ALL =
      Stream.concat(
              KeyedRecords.keys(ProgramKeys.class),
              Stream.of(
                      ProducerConfig.defaults(Path.of(""), List.of()),
                      TriageConfig.defaults(Path.of("")),
                      RunnerConfig.defaults("default", Path.of(""), Path.of("")),
                      NotifyConfig.Links.NONE)
                  .flatMap(KeyedRecords::keys))
          .sorted(Comparator.<Key<?>>comparingInt(key -> SECTIONS.indexOf(key.section())))
          .toList();

  private static final Map<String, Key<?>> BY_NAME =
      ALL.stream().collect(Collectors.toUnmodifiableMap(Key::name, Function.identity()));

  public static final Key<String> TENANT = key("tenant");
  public static final Key<Path> DATA = key("data");
  public static final Key<Integer> CAP = key("cap");
  public static final Key<Integer> BREAKER_FAILURES = key("breaker.failures");
  public static final Key<Duration> BREAKER_OPEN = key("breaker.open");
  public static final Key<Integer> TEXT_LIMIT = key("text.limit");
  public static final Key<List<String>> FINGERPRINT_FIELDS = key("fingerprint.fields");
  public static final Key<String> CLASSIFIER = key("triage.classifier");
  public static final Key<String> TRIAGE_AGENT = key("triage.agent");
  public static final Key<String> TRIAGE_MODEL = key("triage.model");
  public static final Key<ModelApi> TRIAGE_API = key("triage.api");
  public static final Key<String> TRIAGE_URL = key("triage.url");
  public static final Key<String> TRIAGE_TOKEN_ENV = key("triage.token-env");
  public static final Key<Path> TRIAGE_TOKEN_FILE = key("triage.token-file");
  public static final Key<Long> TRIAGE_INPUT_PRICE = key("triage.prices.input");
  public static final Key<Long> TRIAGE_OUTPUT_PRICE = key("triage.prices.output");
  public static final Key<Duration> TRIAGE_TIMEOUT = key("triage.timeout");
  public static final Key<Long> TRIAGE_BUDGET = key("triage.budget.usd");
  public static final Key<Path> DEEP_PROMPT = key("sessions.prompt");
  public static final Key<String> SEARCH = key("sessions.search");
  public static final Key<Path> TRIAGE_PROMPT = key("triage.prompt");
  public static final Key<String> AGENT = key("sessions.agent");
  public static final Key<String> MODEL = key("sessions.model");
  public static final Key<RepositoryAddress> REPO = key("sessions.repo");
  public static final Key<String> REPO_TOKEN_ENV = key("sessions.repo-token-env");
  public static final Key<Path> REPO_TOKEN_FILE = key("sessions.repo-token-file");
  public static final Key<Duration> WALL_CLOCK = key("sessions.wall-clock");
  public static final Key<Duration> GRACE = key("sessions.grace");
  public static final Key<Duration> DRAIN = key("sessions.drain");
  public static final Key<Integer> ATTEMPTS = key("sessions.attempts");
  public static final Key<Integer> SLOTS = key("sessions.slots");
  public static final Key<Long> SESSION_MEMORY = key("sessions.memory");
  public static final Key<String> SESSION_USER = key("sessions.user");
  public static final Key<String> SESSION_NETWORK = key("sessions.network");
  public static final Key<Long> SESSION_BUDGET = key("sessions.budget.usd");
  public static final Key<Long> DAILY_BUDGET = key("budget.daily.usd");
  public static final Key<Long> DAILY_TOKENS = key("budget.daily.tokens");
  public static final Key<Double> GATE_LOAD = key("gate.load");
  public static final Key<Long> GATE_MEMORY = key("gate.memory");
  public static final Key<ListenAddress> CONSOLE_LISTEN = key("console.listen");
  public static final Key<String> CONSOLE_URL = key("console.url");
  public static final Key<List<String>> CONSOLE_HOSTS = key("console.hosts");
  public static final Key<Path> CONSOLE_KEY_STORE = key("console.tls.key-store");
  public static final Key<String> CONSOLE_TLS_ENV = key("console.tls.password-env");
  public static final Key<Path> CONSOLE_TLS_FILE = key("console.tls.password-file");
  public static final Key<ListenAddress> BROKER_LISTEN = key("broker.listen");
  public static final Key<Duration> BROKER_WAIT = key("broker.wait");
  public static final Key<Path> BROKER_DATA = key("broker.data");
  public static final Key<ListenAddress> ADMIN_LISTEN = key("admin.listen");
  public static final Key<String> RUNNER_ID = key("runner.id");
  public static final Key<String> TOPICS_PREFIX = key("topics.prefix");
  public static final Key<Integer> TOPICS_REPLICATION = key("topics.replication");
  public static final Key<String> LOG_LEVEL = key("log.level");
  public static final Key<String> LOG_FORMAT = key("log.format");

  private Keys() {}

  /** Every key. */
  public static List<Key<?>> all() {
    return ALL;
  }

  static Optional<Key<?>> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /** The key of a name that some record has, with the type of the record's component. */
  @SuppressWarnings("unchecked")
  private static <T> Key<T> key(String name) {
    return (Key<T>) named(name).orElseThrow(() -> new IllegalStateException("no key " + name));
  }
}
