package dev.flyball.program.config;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.Containment;
import dev.flyball.contract.ledger.LedgerEntry.Limits;
import dev.flyball.contract.ledger.LedgerEntry.ScopedLimits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.ConsoleConfig;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.runner.Repositories;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.agent.AgentName;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.triage.TriageConfig;
import dev.flyball.triage.item.ItemBudget;
import dev.flyball.triage.item.OnNewer;
import dev.flyball.triage.item.RetryLimits;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The configuration of each app, made from the keys. Two values that do not fit each other are
 * found here, and the error names the place where one of them was written.
 */
public final class AppConfigurations {
  /** What a UTC day may cost with an agent that costs money, unless configured. */
  public static final long DEFAULT_DAILY_MICROS = 20_000_000;

  private static final Pattern FIRST_KEY = Pattern.compile("[a-z]+(?:[.-][a-z]+)+|cap|tenant");

  private final Configuration configuration;

  public AppConfigurations(Configuration configuration) {
    this.configuration = configuration;
  }

  /** The producer's configuration, with the configured sources. */
  public ProducerConfig producer() {
    return producer(sources().stream().map(ConfiguredSource::source).toList());
  }

  /**
   * The configured sources.
   *
   * @throws ConfigurationError with everything that is wrong with them
   */
  public List<ConfiguredSource> sources() {
    return SourceEntries.of(configuration);
  }

  /** The producer's configuration, with these sources instead of the configured ones. */
  public ProducerConfig producer(List<SourceConfig> sources) {
    return checked(() ->
        new ProducerConfig(
            folder("producer"),
            sources,
            new PollClocks(
                configuration.get(Keys.POLL_LEASE),
                configuration.get(Keys.POLL_BEAT),
                configuration.get(Keys.POLL_REQUEST)),
            new BreakerLimits(
                configuration.get(Keys.BREAKER_FAILURES), configuration.get(Keys.BREAKER_OPEN)),
            configuration.get(Keys.POLL_BACKLOG),
            Math.toIntExact(configuration.get(Keys.TEXT_LIMIT)),
            configuration.get(Keys.FINGERPRINT_FIELDS)));
  }

  /** The configuration of triage-stream. */
  public TriageConfig triage() {
    return checked(() ->
        new TriageConfig(
            folder("triage"),
            configuration.get(Keys.TRIAGE_BATCH_ITEMS),
            configuration.get(Keys.TRIAGE_BATCH_LINGER),
            new RetryLimits(
                configuration.get(Keys.ATTEMPTS),
                configuration.get(Keys.LOST),
                configuration.get(Keys.BACK_OFF),
                RetryLimits.DEFAULT_CEILING,
                RetryLimits.DEFAULT_QUICK),
            OnNewer.valueOf(configuration.get(Keys.ON_NEWER).toUpperCase(Locale.ROOT)),
            agent().provider(),
            configuration.get(Keys.TRIAGE_PATIENCE),
            new ItemBudget(
                configuration.get(Keys.ITEM_BUDGET), configuration.get(Keys.ITEM_TOKENS)),
            TriageConfig.DEFAULT_COMMIT_INTERVAL,
            TriageConfig.DEFAULT_DUE_TICK));
  }

  /** A runner's configuration. */
  public RunnerConfig runner(String runnerId) {
    return checked(() ->
        new RunnerConfig(
            runnerId,
            folder("runner"),
            new RunnerConfig.Ledger(
                configuration.get(Keys.CAP),
                budgets(),
                new RunnerConfig.Clocks(
                    configuration.get(Keys.LEDGER_LEASE),
                    configuration.get(Keys.LEDGER_RENEW),
                    configuration.get(Keys.LEDGER_MARGIN))),
            new RunnerConfig.Agents(
                agent(),
                repositories(),
                configuration.get(Keys.ENV),
                new RunnerConfig.Confinement(
                    level(Keys.CONTAINMENT_MINIMUM),
                    level(Keys.CONTAINMENT_MAXIMUM),
                    Optional.of(configuration.get(Keys.SESSION_USER))
                        .filter(name -> !name.isEmpty()),
                    network())),
            new RunnerConfig.Slots(
                configuration.get(Keys.SLOTS),
                configuration.get(Keys.STAGGER),
                configuration.get(Keys.DRAIN)),
            sessionLimits(),
            gateLimits()));
  }

  private AgentNetwork network() {
    return configuration
        .find(Keys.SESSION_NETWORK)
        .map(value -> value.equals("none") ? AgentNetwork.NONE : AgentNetwork.HOST)
        .orElse(
            agent() instanceof AgentName.Scout
                ? AgentNetwork.NONE_WHERE_POSSIBLE
                : AgentNetwork.HOST);
  }

  private Repositories repositories() {
    Path usual = configuration.path(Keys.REPO);
    var bySource = new HashMap<String, Repositories.OfSource>();
    for (ConfiguredSource source : sources()) {
      if (source.repository().isPresent() || source.branch().isPresent()) {
        bySource.put(
            source.source().key(),
            new Repositories.OfSource(source.repository().orElse(usual), source.branch()));
      }
    }
    return new Repositories(usual, bySource);
  }

  /**
   * Makes everything once, so that values which do not fit each other are found before anything
   * starts.
   *
   * @throws ConfigurationError if something is invalid
   */
  public void check() {
    producer();
    triage();
    runner("check");
    console();
    topics();
  }

  /** The console's configuration. */
  public ConsoleConfig console() {
    return checked(() ->
        new ConsoleConfig(
            folder("console"),
            ConsoleConfig.DEFAULT_TIMELINE,
            ConsoleConfig.DEFAULT_SESSIONS,
            configuration.get(Keys.WALL_CLOCK),
            agent().paid() ? configuration.get(Keys.SESSION_BUDGET) : 0));
  }

  /** This runner's label: configured, or kept in its folder. */
  public String runnerId() {
    return configuration.find(Keys.RUNNER_ID).orElseGet(() -> RoleLabel.of(folder("runner")));
  }

  /** A role's label, for its ready line. */
  public String label(String role) {
    return role.equals("runner") ? runnerId() : RoleLabel.of(folder(role));
  }

  /**
   * The Kafka settings of a role.
   *
   * @throws ConfigurationError if no servers are configured
   */
  public KafkaSettings kafka(String role) {
    Map<String, String> properties = configuration.kafka(role);
    if (!properties.containsKey("bootstrap.servers")) {
      throw new ConfigurationError(
          List.of(
              "no Kafka is named; give --bootstrap-servers HOST:PORT or set"
                  + " kafka.bootstrap.servers"));
    }
    return checked(
        () -> new KafkaSettings(topics(), properties, configuration.get(Keys.TOPICS_REPLICATION)));
  }

  /** The topics under the configured prefix. */
  public Topics topics() {
    return checked(() -> new Topics(configuration.get(Keys.TOPICS_PREFIX)));
  }

  /** A role's folder in the data folder. */
  public Path folder(String role) {
    return configuration.path(Keys.DATA).resolve(role);
  }

  /**
   * The configured agent; the path of a program is relative to the folder of the file that names
   * it.
   */
  public AgentName agent() {
    AgentName name =
        checked(() -> AgentName.parse(configuration.get(Keys.AGENT)))
            .withModel(configuration.find(Keys.MODEL).orElse(null));
    return name instanceof AgentName.Command command && command.program().contains("/")
        ? new AgentName.Command(
            configuration.base(Keys.AGENT).resolve(command.program()).normalize().toString())
        : name;
  }

  /**
   * Most micro-dollars of a UTC day: as configured, else {@link #DEFAULT_DAILY_MICROS} for an agent
   * that costs money; empty for any other.
   */
  public Optional<Long> dailyBudget() {
    Optional<Long> configured = configuration.find(Keys.DAILY_BUDGET);
    return configured.isPresent() || !agent().paid()
        ? configured
        : Optional.of(DEFAULT_DAILY_MICROS);
  }

  /** A notice for the start, if the daily budget was not configured and one applies; else empty. */
  public Optional<String> dailyBudgetNotice() {
    return configuration.find(Keys.DAILY_BUDGET).isPresent()
        ? Optional.empty()
        : dailyBudget()
            .map(micros ->
                "flyball: budget.daily.usd is not set: "
                    + micros / 1_000_000
                    + " USD a day apply to "
                    + agent()
                    + "; set it, or change it with flyball budget");
  }

  private List<ScopedLimits> budgets() {
    var limits =
        new Limits(dailyBudget().orElse(null), configuration.find(Keys.DAILY_TOKENS).orElse(null));
    return limits.equals(Limits.NONE) ? List.of() : List.of(new ScopedLimits(Scope.GLOBAL, limits));
  }

  private SessionLimits sessionLimits() {
    return new SessionLimits(
        configuration.get(Keys.IDENTIFY),
        configuration.get(Keys.HUNG),
        configuration.get(Keys.STALL),
        configuration.get(Keys.STALL_IN_TOOL),
        configuration.get(Keys.WALL_CLOCK),
        configuration.get(Keys.GRACE),
        configuration.get(Keys.POST_RESULT),
        configuration.get(Keys.PROCESSES_WARN),
        configuration.get(Keys.PROCESSES_KILL),
        configuration.get(Keys.MEMORY),
        configuration.get(Keys.OUTPUT),
        configuration.get(Keys.SESSION_BUDGET),
        configuration.get(Keys.SESSION_TOKENS));
  }

  private GateLimits gateLimits() {
    return new GateLimits(
        configuration.get(Keys.GATE_LOAD),
        configuration.get(Keys.GATE_MEMORY),
        configuration.get(Keys.GATE_PRESSURE),
        configuration.get(Keys.STRAY_WARN),
        configuration.get(Keys.STRAY_SWEEP));
  }

  private Containment.Level level(Key<String> key) {
    String label = configuration.get(key);
    return Stream.of(Containment.Level.values())
        .filter(level -> level.label().equals(label))
        .findFirst()
        .orElseThrow();
  }

  private <T> T checked(Supplier<T> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException | ArithmeticException e) {
      String message = DurationText.readable(String.valueOf(e.getMessage()));
      throw new ConfigurationError(List.of(where(message) + message));
    }
  }

  private String where(String message) {
    Matcher words = FIRST_KEY.matcher(message);
    while (words.find()) {
      var key = Keys.named(words.group());
      if (key.isPresent() && configuration.isSet(key.get())) {
        return configuration.origin(key.get()) + ": ";
      }
    }
    return "";
  }
}
