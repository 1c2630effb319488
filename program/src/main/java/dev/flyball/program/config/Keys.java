package dev.flyball.program.config;

import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.program.classifier.ModelApi;
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
 * program reads them, too.
 */
public final class Keys {
  /** The keys that no app's own record has. */
  private static final List<Key<?>> OWN = new ArrayList<>();

  public static final Key<String> TENANT =
      own(
          "tenant",
          ValueType.matching("[a-z0-9-]+", "[a-z0-9-]+"),
          SourceConfig.DEFAULT_TENANT,
          "Tenant of sources and items that name none");

  public static final Key<Path> DATA =
      own(
          "data",
          ValueType.PATH,
          ".flyball",
          "Data folder: Kafka's log, journals, projections, the log file. One"
              + " process of a role at a time");

  public static final Key<String> CLASSIFIER =
      own(
          "triage.classifier",
          ValueType.oneOf("rules", "agent", "messages"),
          null,
          "What decides whether an item deserves a session. `rules` needs no model; `agent`"
              + " asks the program of triage.agent once for a batch, without tools;"
              + " `messages` asks the endpoint of triage.url once for a batch. Unset:"
              + " `agent` if sessions cost money, else `rules`");

  public static final Key<String> TRIAGE_AGENT =
      own(
          "triage.agent",
          ValueType.program(
              "a profile of agents, " + AgentProgram.OF_MODELS + " or command:/path/to/program",
              "command:.+|[a-z0-9-]{1,32}"),
          null,
          "What the classifier `agent` asks: a profile, with its model, arguments, variables"
              + " and prices, or an agent. Unset: the agent of sessions.agent");

  public static final Key<String> TRIAGE_MODEL =
      own(
          "triage.model",
          ValueType.matching("a model's name", ConfiguredProfiles.MODEL),
          null,
          "The model that judges batches; the classifier `messages` needs it. Unset: the"
              + " profile's, or a cheap one: `haiku` for claude, `gpt-5.4-mini` for codex,"
              + " `flash-lite` for gemini, `anthropic/claude-haiku-4-5` for opencode,"
              + " `qwen3-coder-flash` for qwen");

  public static final Key<ModelApi> TRIAGE_API =
      own(
          "triage.api",
          ValueType.ofEnum(ModelApi.class),
          "messages",
          "What the endpoint of `messages` speaks: the Messages API of Anthropic, or Chat"
              + " Completions of OpenAI (`chat`), as servers of local models do");

  public static final Key<String> TRIAGE_URL =
      own(
          "triage.url",
          ValueType.matching(
              "an http or https address without user, query and fragment",
              "https?://[A-Za-z0-9.:_\\[\\]-]+(/[A-Za-z0-9._~%/-]*)?"),
          null,
          "Root of the endpoint of `messages`, with or without `/v1`; https where a token is"
              + " sent to another machine. Unset: the vendor's own, and the token is in"
              + " ANTHROPIC_API_KEY (`chat`: OPENAI_API_KEY) unless configured");

  public static final List<Key<Credential>> TRIAGE_TOKEN =
      secret("triage.token", "the token for the endpoint of `messages`");

  public static final Key<Long> TRIAGE_INPUT_PRICE =
      own(
          "triage.prices.input",
          ValueType.MICROS,
          null,
          "What a million input tokens of `messages` cost. Without prices each call is booked"
              + " with triage.budget.usd. 0 for both prices: the model costs nothing");

  public static final Key<Long> TRIAGE_OUTPUT_PRICE =
      own(
          "triage.prices.output",
          ValueType.MICROS,
          null,
          "What a million output tokens cost; needed with triage.prices.input");

  public static final Key<Path> DEEP_PROMPT =
      own(
          "sessions.prompt",
          ValueType.PATH,
          null,
          "File with the template of a session's prompt, instead of the one that comes with"
              + " Flyball; docs/agents.md explains it");

  public static final Key<Search> SEARCH =
      own(
          "sessions.search",
          ValueType.ofEnum(Search.class),
          "bounded",
          "How far agents may search the repository. `bounded`: at most 5 searches and 12"
              + " files; claude has Read, Glob and Grep. `none`: no search, 5 files; claude"
              + " has no Grep. The prompt asks for it, sessions.processes.kill holds it");

  public static final Key<Path> TRIAGE_PROMPT =
      own(
          "triage.prompt",
          ValueType.PATH,
          null,
          "File with the template of the question that `agent` and `messages` ask about a"
              + " batch, instead of the one that comes with Flyball; docs/agents.md explains"
              + " it");

  public static final Key<Duration> TRIAGE_TIMEOUT =
      own(
          "triage.timeout",
          ValueType.DURATION,
          "2m",
          "How long one triage call of `agent` or `messages` may take");

  public static final Key<Long> TRIAGE_BUDGET =
      own(
          "triage.budget.usd",
          ValueType.MICROS,
          "0.10",
          "Most cost of one triage call, of which a batch needs one, and two at most; 0 for"
              + " no limit. claude stops there; the others and `messages` know no such"
              + " limit. A call of unknown cost is booked with it, or with 0.10 where it is"
              + " 0");

  public static final Key<AgentProgram> AGENT =
      own(
          "sessions.agent",
          ValueType.AGENT,
          "scout",
          "What runs for an item. scout is bundled, needs no model and costs" + " nothing");

  public static final Key<String> MODEL =
      own(
          "sessions.model",
          ValueType.matching("a model's name", ConfiguredProfiles.MODEL),
          null,
          "The agent's model. Unset: `sonnet` for claude, `gpt-5.4` for codex, `flash` for gemini,"
              + " `anthropic/claude-sonnet-5` for opencode, `qwen3-coder-plus` for qwen");

  public static final Key<RepositoryAddress> REPO =
      own(
          "sessions.repo",
          ValueType.REPOSITORY,
          ".",
          "The repository that agents read, a folder or a URL; their working directory");

  public static final List<Key<Credential>> REPO_TOKEN =
      secret(
          "sessions.repo-token",
          "the token for the server of `sessions.repo`, where that is a URL");

  public static final Key<String> SESSION_USER =
      own(
          "sessions.user",
          ValueType.matching("the name of a user of this machine", "[A-Za-z0-9_.-]{0,64}"),
          null,
          "The user whose processes agents are, for agents that are not trusted: they can"
              + " neither signal the runner nor read its files. Needs a runner that runs as"
              + " root; empty for the runner's own user");

  public static final Key<String> SESSION_NETWORK =
      own(
          "sessions.network",
          ValueType.oneOf("none", "host"),
          null,
          "`none`: agents reach no network, not even this machine's loopback addresses; needs"
              + " containment level A, else the runner does not start. `host`: agents reach"
              + " what the runner reaches. Unset: `none` for scout where that works, else"
              + " `host`");

  public static final Key<Long> DAILY_BUDGET =
      own(
          "budget.daily.usd",
          ValueType.MICROS,
          null,
          "Most spend of a UTC day, all tenants together: a warning at 80 %; at 100 % no"
              + " session starts and running ones are ended. Unset: 20 for an agent that"
              + " costs money, no limit for any other. Written to the ledger at its first"
              + " start only; flyball budget changes it later, also for one tenant");

  public static final Key<ListenAddress> CONSOLE_LISTEN =
      own(
          "console.listen",
          ValueType.LISTEN,
          "127.0.0.1:8321",
          "Where the console answers. An address that other machines reach needs"
              + " `console.tokens`");

  public static final Key<List<String>> CONSOLE_HOSTS =
      own(
          "console.hosts",
          ValueType.NAMES,
          null,
          "Further names by which browsers and scrapers call the console, for example that"
              + " of a proxy; requests by other names are denied");

  public static final Key<Path> CONSOLE_KEY_STORE =
      own(
          "console.tls.key-store",
          ValueType.PATH,
          null,
          "A PKCS #12 or JKS file with the console's certificate and key: it speaks TLS");

  public static final List<Key<Credential>> CONSOLE_TLS_PASSWORD =
      secret("console.tls.password", "the password of the key store");

  public static final Key<ListenAddress> BROKER_LISTEN =
      own(
          "broker.listen",
          ValueType.LISTEN,
          "127.0.0.1:9092",
          "Where the embedded Kafka of `up` listens for clients that only read. Flyball's"
              + " roles and commands write through another port of this machine, with a"
              + " secret from the data folder");

  public static final Key<Duration> BROKER_WAIT =
      own(
          "broker.wait",
          ValueType.DURATION,
          "5m",
          "How long a service that starts waits for its broker; 0s: one attempt of" + " 10 s");

  public static final Key<Path> BROKER_DATA =
      own(
          "broker.data",
          ValueType.PATH,
          null,
          "Data folder of a running `up`: the role or command uses its embedded Kafka. It"
              + " must be the same user's, on this machine. Unset: commands use their own"
              + " data folder");

  public static final Key<ListenAddress> ADMIN_LISTEN =
      own(
          "admin.listen",
          ValueType.LISTEN,
          "127.0.0.1:0",
          "Where a lone role answers /livez /readyz /health /metrics");

  public static final Key<String> RUNNER_ID =
      own(
          "runner.id",
          ValueType.matching("1 to 64 letters, digits, dots, _ or -", "[A-Za-z0-9._-]{1,64}"),
          null,
          "A runner's label; by default the host's name and a suffix kept in `data`");

  public static final Key<String> TOPICS_PREFIX =
      own(
          "topics.prefix",
          ValueType.matching(
              "letters, digits, _ - . with a dot at the end", "[A-Za-z0-9_-][A-Za-z0-9._-]*\\."),
          "flyball.",
          "In front of every topic's name");

  public static final Key<Integer> TOPICS_REPLICATION =
      own(
          "topics.replication",
          ValueType.whole(1, 100).map(Math::toIntExact),
          "" + KafkaSettings.DEFAULT_REPLICATION,
          "On how many brokers each topic is kept; topics are never made with fewer. 1 only"
              + " for a cluster of one broker, as the embedded one is (there it is 1 always)");

  public static final Key<String> LOG_LEVEL =
      own(
          "log.level",
          ValueType.oneOf("error", "warn", "info", "debug"),
          "info",
          "What goes into the log file of the data folder");

  public static final Key<String> LOG_FORMAT =
      own(
          "log.format",
          ValueType.oneOf("text", "ecs"),
          "text",
          "How a line of the log file is written: `text`, or JSON with the fields of the"
              + " Elastic Common Schema (`ecs`)");

  private static final List<Key<?>> ALL =
      Stream.concat(
              OWN.stream(),
              Stream.of(
                      ProducerConfig.defaults(Path.of(""), List.of()),
                      TriageConfig.defaults(Path.of("")),
                      RunnerConfig.defaults("default", Path.of(""), Path.of("")),
                      NotifyConfig.Links.NONE)
                  .flatMap(defaults -> Section.keys(defaults).stream()))
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

  public static final Key<String> CONSOLE_URL = key("console.url");

  private Keys() {}

  /** Every key. */
  public static List<Key<?>> all() {
    return ALL;
  }

  static Optional<Key<?>> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  private static <T> Key<T> own(
      String name, ValueType<T> type, @Nullable String initial, String meaning) {
    var key = new Key<>(name, type, initial, meaning, false, "");
    OWN.add(key);
    return key;
  }

  private static List<Key<Credential>> secret(String name, String meaning) {
    List<Key<Credential>> places = Key.ofSecret(name, meaning, "");
    OWN.addAll(places);
    return places;
  }

  /** The key of a name that some record has, with the type of the record's component. */
  @SuppressWarnings("unchecked")
  private static <T> Key<T> key(String name) {
    return (Key<T>) named(name).orElseThrow(() -> new IllegalStateException("no key " + name));
  }
}
