package dev.flyball.program.config;

import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.runner.agent.AgentName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Every key, in the order in which `config` and docs/configuration.md show them. */
public final class Keys {
  private static final List<Key<?>> ALL = new ArrayList<>();

  public static final Key<String> TENANT =
      key(
          "tenant",
          ValueType.matching("[a-z0-9-]+", "[a-z0-9-]+"),
          "default",
          "Tenant of sources and items that name none");
  public static final Key<Path> DATA =
      key(
          "data",
          ValueType.PATH,
          ".flyball",
          "Data folder: Kafka's log, journals, projections, the log file. One process of a role at"
              + " a time");
  public static final Key<Integer> CAP =
      key(
          "cap",
          ValueType.integer(0, 10_000),
          "3",
          "Most agent sessions at a time, over all runners. Seeds the ledger once");

  public static final Key<Duration> POLL_LEASE =
      key(
          "poll.lease",
          ValueType.DURATION,
          "180s",
          "How long a producer's beat must stand still before another takes its source over");
  public static final Key<Duration> POLL_BEAT =
      key(
          "poll.beat",
          ValueType.DURATION,
          "60s",
          "How often a producer beats while it holds a source");
  public static final Key<Duration> POLL_REQUEST =
      key(
          "poll.request",
          ValueType.DURATION,
          "30s",
          "Longest that one request to a tracker may take; poll.lease is longer than two beats and"
              + " this together");
  public static final Key<Integer> POLL_BACKLOG =
      key(
          "poll.backlog",
          ValueType.integer(1, 10_000_000),
          "10000",
          "Above so many items that wait for sessions or run, polls wait; below 90 % of it they go"
              + " on (no effect on run)");
  public static final Key<Integer> BREAKER_FAILURES =
      key(
          "breaker.failures",
          ValueType.integer(1, 1000),
          "3",
          "Failed polls in a row after which a tracker is paused; its rate limit does not count"
              + " (no effect on jsonl)");
  public static final Key<Duration> BREAKER_OPEN =
      key(
          "breaker.open",
          ValueType.DURATION,
          "5m",
          "How long it is paused before one poll tries again (no effect on jsonl)");
  public static final Key<Duration> SUBPROCESS_TIMEOUT =
      key(
          "subprocess.timeout",
          ValueType.DURATION,
          "30s",
          "Longest run of a tracker's own command line (no effect on jsonl)");
  public static final Key<Long> TEXT_LIMIT =
      key(
          "text.limit",
          ValueType.SIZE_BYTES,
          "16KiB",
          "Most bytes of an item's clean text, 256B to 256KiB");
  public static final Key<List<String>> FINGERPRINT_FIELDS =
      key(
          "fingerprint.fields",
          ValueType.NAMES,
          "text,title,type",
          "Fields that decide whether an item changed; some of priority, state, tags, text, title,"
              + " type, url");

  public static final Key<String> TRIAGE_CLASSIFIER =
      key(
          "triage.classifier",
          ValueType.oneOf("rules"),
          "rules",
          "What decides whether an item deserves a session; rules needs no model");
  public static final Key<Integer> TRIAGE_BATCH_ITEMS =
      key("triage.batch.items", ValueType.integer(1, 1000), "50", "Most items of one triage call");
  public static final Key<Duration> TRIAGE_BATCH_LINGER =
      key("triage.batch.linger", ValueType.DURATION, "2s", "How long a batch waits for more items");
  public static final Key<Duration> TRIAGE_PATIENCE =
      key(
          "triage.patience",
          ValueType.DURATION,
          "1h",
          "How long a verdict may take until its question is asked again");
  public static final Key<String> ON_NEWER =
      key(
          "triage.on-newer",
          ValueType.oneOf("finish", "cancel"),
          "finish",
          "What a newer snapshot does to its item's running session");

  public static final Key<Duration> LEDGER_LEASE =
      key("ledger.lease", ValueType.DURATION, "45s", "How long a claim or renewal holds");
  public static final Key<Duration> LEDGER_RENEW =
      key("ledger.renew", ValueType.DURATION, "10s", "How often a runner renews");
  public static final Key<Duration> LEDGER_MARGIN =
      key(
          "ledger.margin",
          ValueType.DURATION,
          "10s",
          "How long before its lease's end a runner kills its own sessions");

  public static final Key<String> AGENT =
      key(
          "sessions.agent",
          ValueType.matching(AgentName.KNOWN, "scout|claude|codex|gemini|command:.+"),
          "scout",
          "What runs for an item. scout is bundled, needs no model and costs nothing");
  public static final Key<String> MODEL =
      key(
          "sessions.model",
          ValueType.matching("a model's name", "[A-Za-z0-9][A-Za-z0-9._:/@\\[\\]-]{0,127}"),
          null,
          "The model that claude, codex or gemini is started with; by default its own choice");
  public static final Key<Path> REPO =
      key(
          "sessions.repo",
          ValueType.PATH,
          ".",
          "The repository that agents read; their working directory");
  public static final Key<Duration> IDENTIFY =
      key(
          "sessions.identify",
          ValueType.DURATION,
          "10s",
          "From an agent's start until it says who it is");
  public static final Key<Duration> HUNG =
      key(
          "sessions.hung",
          ValueType.DURATION,
          "120s",
          "Silence from which a session is reported as hung");
  public static final Key<Duration> STALL =
      key("sessions.stall", ValueType.DURATION, "480s", "Silence after which it is killed");
  public static final Key<Duration> STALL_IN_TOOL =
      key(
          "sessions.stall-in-tool",
          ValueType.DURATION,
          "900s",
          "The same while the agent runs a tool");
  public static final Key<Duration> WALL_CLOCK =
      key("sessions.wall-clock", ValueType.DURATION, "10m", "Longest life of a session");
  public static final Key<Duration> GRACE =
      key("sessions.grace", ValueType.DURATION, "5s", "From TERM to KILL");
  public static final Key<Duration> POST_RESULT =
      key("sessions.post-result", ValueType.DURATION, "60s", "From an agent's result to its exit");
  public static final Key<Duration> DRAIN =
      key(
          "sessions.drain",
          ValueType.DURATION,
          "0s",
          "How long a shutdown waits for running sessions before it interrupts them; 0s, or a"
              + " second signal: not at all");
  public static final Key<Integer> ATTEMPTS =
      key("sessions.attempts", ValueType.integer(1, 100), "3", "Attempts before an item is dead");
  public static final Key<Integer> LOST =
      key("sessions.lost", ValueType.integer(1, 100), "5", "Lost sessions before an item is dead");
  public static final Key<Duration> BACK_OFF =
      key(
          "sessions.back-off",
          ValueType.DURATION,
          "30s",
          "Wait before the second attempt; times 4 for each further one, up to 10m, give or take 25"
              + " %");
  public static final Key<Integer> SLOTS =
      key(
          "sessions.slots",
          ValueType.integer(1, 256),
          "4",
          "Most sessions of one runner at a time");
  public static final Key<Duration> STAGGER =
      key(
          "sessions.stagger",
          ValueType.DURATION,
          "250ms",
          "Least distance between two starts of one runner while it has several slots free, up to"
              + " 1m; a single request waits for nothing. 0s for none");
  public static final Key<Integer> PROCESSES_WARN =
      key(
          "sessions.processes.warn",
          ValueType.integer(1, 100_000),
          "64",
          "Processes of a session from which it is reported");
  public static final Key<Integer> PROCESSES_KILL =
      key(
          "sessions.processes.kill",
          ValueType.integer(1, 100_000),
          "256",
          "Processes of a session that end it");
  public static final Key<Long> MEMORY =
      key(
          "sessions.memory",
          ValueType.SIZE_BYTES,
          "4GB",
          "Resident memory of a session's whole tree that ends it if two samples (one a second) in"
              + " a row are above, its partial answer kept. 0 for no limit");
  public static final Key<Long> OUTPUT =
      key(
          "sessions.output",
          ValueType.SIZE_BYTES,
          "64MB",
          "Output after which a session ends, its partial answer kept");
  public static final Key<List<String>> ENV =
      key(
          "sessions.env",
          ValueType.NAMES,
          "",
          "Names of further environment variables that agents inherit");
  public static final Key<String> SESSION_USER =
      key(
          "sessions.user",
          ValueType.matching("the name of a user of this machine", "[A-Za-z0-9_.-]{0,64}"),
          "",
          "The user whose processes agents are, for agents that are not trusted: they can neither"
              + " signal the runner nor read its files. Needs a runner that runs as root; empty for"
              + " the runner's own user");
  public static final Key<String> SESSION_NETWORK =
      key(
          "sessions.network",
          ValueType.oneOf("none", "host"),
          null,
          "`none`: agents reach no network, not even this machine's loopback addresses; needs"
              + " containment level A, else the runner does not start. `host`: agents reach what"
              + " the runner reaches. Unset: `none` for scout where that works, else `host`");
  public static final Key<Long> SESSION_BUDGET =
      key(
          "sessions.budget.usd",
          ValueType.MICROS,
          "0.50",
          "Most that a session may spend: above it ends, its partial answer kept. For an agent that"
              + " costs money also reserved from the budgets while it runs, and booked if it does"
              + " not say what it cost. 0 for no limit");
  public static final Key<Long> SESSION_TOKENS =
      key(
          "sessions.budget.tokens",
          ValueType.whole(0, 1_000_000_000_000L),
          "5000000",
          "Most tokens of every kind, cached ones included, that a session may use: above it ends,"
              + " its partial answer kept. Bounds agents that say no cost, or only at their end. 0"
              + " for no limit");
  public static final Key<Long> DAILY_BUDGET =
      key(
          "budget.daily.usd",
          ValueType.MICROS,
          null,
          "Most spend of a UTC day, all tenants together: a warning at 80 %; at 100 % no session"
              + " starts and running ones are ended. Unset: 20 for an agent that costs money, no"
              + " limit for any other. Written to the ledger at its first start only; flyball"
              + " budget changes it later, also for one tenant");
  public static final Key<Long> DAILY_TOKENS =
      key(
          "budget.daily.tokens",
          ValueType.whole(0, 1_000_000_000_000_000L),
          null,
          "As budget.daily.usd, in tokens of every kind; unset: no limit. Written to the ledger"
              + " at its first start only");

  public static final Key<Long> ITEM_BUDGET =
      key(
          "items.budget.usd",
          ValueType.MICROS,
          "10",
          "Most that one item may cost over its lifetime, all its sessions and triage shares: then"
              + " no new request, the item is dead with reason 'item budget'. 0 for no limit");
  public static final Key<Long> ITEM_TOKENS =
      key(
          "items.budget.tokens",
          ValueType.whole(0, 1_000_000_000_000_000L),
          "0",
          "The same in tokens of every kind. 0 for no limit");

  public static final Key<Double> GATE_LOAD =
      key(
          "gate.load",
          ValueType.number(0, 1000),
          "0.8",
          "Load a CPU (1 min) from which a runner starts no further session");
  public static final Key<Long> GATE_MEMORY =
      key(
          "gate.memory",
          ValueType.SIZE_BYTES,
          "512MB",
          "Available memory below which it starts none");
  public static final Key<Integer> GATE_PRESSURE =
      key(
          "gate.pressure",
          ValueType.integer(1, 100),
          "40",
          "Percent of pressure stall from which it starts none");
  public static final Key<Integer> STRAY_WARN =
      key(
          "gate.stray.warn",
          ValueType.integer(1, 100_000),
          "10",
          "Stray agent processes from which health is degraded");
  public static final Key<Integer> STRAY_SWEEP =
      key(
          "gate.stray.sweep",
          ValueType.integer(1, 100_000),
          "20",
          "Stray agent processes from which no session starts and a sweep runs");
  public static final Key<String> CONTAINMENT_MINIMUM =
      key(
          "containment.minimum",
          ValueType.oneOf("A+", "A", "B"),
          "B",
          "The weakest containment that a runner accepts");
  public static final Key<String> CONTAINMENT_MAXIMUM =
      key(
          "containment.maximum",
          ValueType.oneOf("A+", "A", "B"),
          "A+",
          "The strongest containment that a runner tries; B where agents need sudo or start"
              + " containers, which a user namespace does not allow");

  public static final Key<ListenAddress> CONSOLE_LISTEN =
      key("console.listen", ValueType.LISTEN, "127.0.0.1:8321", "Where the console answers");
  public static final Key<ListenAddress> BROKER_LISTEN =
      key(
          "broker.listen",
          ValueType.LISTEN,
          "127.0.0.1:9092",
          "Where the embedded Kafka of `up` listens for clients that only read. Flyball's roles and"
              + " commands write through another port of this machine, with a secret from the data"
              + " folder");
  public static final Key<Duration> BROKER_WAIT =
      key(
          "broker.wait",
          ValueType.DURATION,
          "5m",
          "How long a service that starts waits for its broker; 0s: one attempt of 10 s");
  public static final Key<Path> BROKER_DATA =
      key(
          "broker.data",
          ValueType.PATH,
          null,
          "Data folder of a running `up`: the role or command uses its embedded Kafka. It must be"
              + " the same user's, on this machine. Unset: commands use their own data folder");
  public static final Key<ListenAddress> ADMIN_LISTEN =
      key(
          "admin.listen",
          ValueType.LISTEN,
          "127.0.0.1:0",
          "Where a lone role answers /livez /readyz /health /metrics");
  public static final Key<String> RUNNER_ID =
      key(
          "runner.id",
          ValueType.matching("1 to 64 letters, digits, dots, _ or -", "[A-Za-z0-9._-]{1,64}"),
          null,
          "A runner's label; by default the host's name and a suffix kept in the data folder");
  public static final Key<String> TOPICS_PREFIX =
      key(
          "topics.prefix",
          ValueType.matching(
              "letters, digits, _ - . with a dot at the end", "[A-Za-z0-9_-][A-Za-z0-9._-]*\\."),
          "flyball.",
          "In front of every topic's name");
  public static final Key<Integer> TOPICS_REPLICATION =
      key(
          "topics.replication",
          ValueType.integer(1, 100),
          "3",
          "On how many brokers each topic is kept; topics are never made with fewer. 1 only for a"
              + " cluster of one broker, as the embedded one is (there it is 1 always)");
  public static final Key<String> LOG_LEVEL =
      key(
          "log.level",
          ValueType.oneOf("error", "warn", "info", "debug"),
          "info",
          "What goes into the log file of the data folder");

  private Keys() {}

  /** Every key. */
  public static List<Key<?>> all() {
    return List.copyOf(ALL);
  }

  static Optional<Key<?>> named(String name) {
    return ALL.stream().filter(key -> key.name().equals(name)).findFirst();
  }

  private static <T> Key<T> key(
      String name,
      ValueType<T> type,
      @org.jspecify.annotations.Nullable String initial,
      String meaning) {
    var key = new Key<>(name, type, initial, meaning);
    ALL.add(key);
    return key;
  }
}
