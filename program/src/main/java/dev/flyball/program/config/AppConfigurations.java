package dev.flyball.program.config;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.contract.ledger.LedgerEntry.ScopedLimits;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.ConsoleConfig;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.runner.Repositories;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.agent.AgentName;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.triage.TriageConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    return filled(() -> ProducerConfig.defaults(folder("producer"), sources));
  }

  /** The configuration of triage-stream. */
  public TriageConfig triage() {
    return filled(() -> TriageConfig.defaults(folder("triage"), agent().provider()));
  }

  /** A runner's configuration. */
  public RunnerConfig runner(String runnerId) {
    RunnerConfig filled =
        filled(
            () -> RunnerConfig.defaults(runnerId, configuration.path(Keys.REPO), folder("runner")));
    RunnerConfig.Confinement confinement = filled.agents().confinement();
    return checked(() ->
        new RunnerConfig(
            runnerId,
            filled.dataDir(),
            new RunnerConfig.Ledger(filled.ledger().cap(), budgets(), filled.ledger().clocks()),
            new RunnerConfig.Agents(
                agent(),
                repositories(),
                filled.agents().env(),
                new RunnerConfig.Confinement(
                    confinement.minimum(),
                    confinement.maximum(),
                    Optional.of(configuration.get(Keys.SESSION_USER))
                        .filter(name -> !name.isEmpty()),
                    network())),
            filled.slots(),
            filled.session(),
            filled.gate()));
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
      ConfiguredSource.Place place = source.place();
      if (!place.equals(ConfiguredSource.Place.USUAL)) {
        bySource.put(
            source.source().key(),
            new Repositories.OfSource(
                Objects.requireNonNullElse(place.repository(), usual),
                Optional.ofNullable(place.branch())));
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
    AgentName parsed = checked(() -> AgentName.parse(configuration.get(Keys.AGENT)));
    AgentName name = parsed.withModel(configuration.find(Keys.MODEL).orElse(parsed.sessionModel()));
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

  /** A record of defaults with the configured values in it. */
  private <R extends Record> R filled(Supplier<R> defaults) {
    return checked(() -> KeyedRecords.filled(defaults.get(), configuration));
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
