package dev.flyball.program.config;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.contract.ledger.LedgerEntry.ScopedLimits;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.PromptTemplate;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.ConsoleConfig;
import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.program.config.ConfigurationError.Problem;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.gate.MachineReadings;
import dev.flyball.runner.prompt.DeepPrompt;
import dev.flyball.runner.repository.MirrorLimits;
import dev.flyball.runner.repository.Repositories;
import dev.flyball.runner.repository.Repositories.OfSource;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.runner.repository.RepositoryToken;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.scout.RepositoryFiles;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.triage.TriageConfig;
import dev.flyball.triage.classify.BatchPrompt;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of each app, made from the keys. Two values that do not fit each other are
 * found here, and the error names the place where one of them was written.
 */
public record AppConfigurations(Configuration configuration) {
  /** More of a host's name is no part of a label. */
  private static final int MAX_HOST = 40;

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
    return ConfiguredSource.all(configuration);
  }

  /** The producer's configuration, with these sources instead of the configured ones. */
  public ProducerConfig producer(List<SourceConfig> sources) {
    return filled(() -> ProducerConfig.defaults(folder("producer"), sources));
  }

  /** The configuration of triage-stream. */
  public TriageConfig triage() {
    return filled(() -> TriageConfig.defaults(folder("triage"), agents().routing()));
  }

  /** A runner's configuration. */
  public RunnerConfig runner(String runnerId) {
    RunnerConfig usual = RunnerConfig.defaults(runnerId, Path.of(""), folder("runner"));
    RunnerConfig.Confinement confinement = usual.agents().confinement();
    long memory =
        SessionLimits.memoryIn(
            MachineReadings.containerMemoryBytes(), configuration.get(Keys.SLOTS));
    return filled(() ->
        new RunnerConfig(
            runnerId,
            usual.dataDir(),
            new RunnerConfig.Ledger(usual.ledger().cap(), budgets(), usual.ledger().times()),
            new RunnerConfig.Agents(
                agents().profiles(),
                repositories(usual.agents().repositories().fetches()),
                usual.agents().env(),
                prompt(),
                new RunnerConfig.Confinement(
                    confinement.minimum(),
                    confinement.maximum(),
                    configuration.find(Keys.SESSION_USER).filter(name -> !name.isEmpty()),
                    network())),
            usual.slots(),
            usual.session().withMemory(memory),
            usual.gate()));
  }

  /** The repository of {@code sessions.repo}, and that of each source. */
  private Repositories repositories(MirrorLimits fetches) {
    var usual =
        new OfSource(
            configuration.get(Keys.REPO),
            Optional.empty(),
            token(configuration.credential(Keys.REPO_TOKEN)));
    var bySource = new HashMap<String, OfSource>();
    for (ConfiguredSource source : sources()) {
      ConfiguredSource.Place place = source.place();
      Optional<String> branch = Optional.ofNullable(place.branch());
      bySource.put(
          source.source().key(),
          place.repository() == null
              ? new OfSource(usual.address(), branch, usual.token())
              : new OfSource(place.repository(), branch, token(place.token())));
    }
    return new Repositories(usual, bySource, fetches);
  }

  /**
   * The URL of the repository of each source that has one, for links to its files; empty where the
   * sources cannot be read, for example because their secrets are elsewhere.
   */
  public Map<String, String> repositoryUrls() {
    var urls = new HashMap<String, String>();
    try {
      repositories(MirrorLimits.DEFAULT)
          .bySource()
          .forEach((source, of) -> {
            switch (of.address()) {
              case RepositoryAddress.Url(String url) -> urls.put(source, url);
              case RepositoryAddress.Folder(Path folder) ->
                  origin(folder).ifPresent(url -> urls.put(source, url));
            }
          });
    } catch (ConfigurationError e) {
      // Who polls reports it.
    }
    return urls;
  }

  /** From where a clone came, without a login in it; empty if that is no address of a forge. */
  private static Optional<String> origin(Path clone) {
    try {
      return Optional.of(clone)
          .filter(it -> Files.exists(it.resolve(".git")))
          .flatMap(RepositoryFiles::originOf)
          .map(it ->
              RepositoryAddress.SCP.matcher(it).matches()
                  ? "ssh://" + it.replaceFirst(":", "/")
                  : it)
          .map(it -> new RepositoryAddress.Url(it.replaceFirst("(?<=://)[^/]*@", "")).url());
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static RepositoryToken token(Credential credential) {
    return switch (credential) {
      // Only a tracker's token may be printed by a command.
      case Credential.None _, Credential.Command _ -> RepositoryToken.NONE;
      case Credential.Environment(String variable) -> new RepositoryToken(variable, null);
      case Credential.InFile(Path file) -> new RepositoryToken(null, file);
    };
  }

  private DeepPrompt prompt() {
    PromptTemplate template =
        configuration
            .find(Keys.DEEP_PROMPT)
            .map(file -> PromptTemplate.own(file, DeepPrompt.VARIABLES))
            .orElse(DeepPrompt.BUNDLED.template());
    return new DeepPrompt(template, configuration.get(Keys.SEARCH));
  }

  /** The template of the question that a model is asked about a batch. */
  public PromptTemplate triagePrompt() {
    return checked(() ->
        configuration
            .find(Keys.TRIAGE_PROMPT)
            .map(file -> PromptTemplate.own(file, BatchPrompt.VARIABLES))
            .orElse(BatchPrompt.BUNDLED));
  }

  private AgentNetwork network() {
    return configuration
        .find(Keys.SESSION_NETWORK)
        .map(value -> value.equals("none") ? AgentNetwork.NONE : AgentNetwork.HOST)
        .orElse(agents().onlyScout() ? AgentNetwork.NONE_WHERE_POSSIBLE : AgentNetwork.HOST);
  }

  /**
   * Every value as {@code config} shows it. An unset key shows the value that it gets from other
   * keys, because an empty row would hide which model is paid for.
   */
  public List<Configuration.Row> rows() {
    var dependent = new HashMap<String, Configuration.Row>();
    AgentProgram agent = agents().usual().agent();
    String cause = agent.name();
    put(dependent, Keys.MODEL, agent.facts().sessionModel(), cause);
    put(
        dependent,
        Keys.DAILY_BUDGET,
        agents().dailyBudget().map(Dollars::exact).orElse(null),
        cause);
    switch (classifier()) {
      case ConfiguredClassifier.Rules _ -> put(dependent, Keys.CLASSIFIER, "rules", cause);
      case ConfiguredClassifier.ByAgent by -> {
        put(dependent, Keys.CLASSIFIER, "agent", cause);
        put(dependent, Keys.TRIAGE_AGENT, by.agent().name(), cause);
        put(dependent, Keys.TRIAGE_MODEL, by.agent().model(), cause);
      }
      case ConfiguredClassifier.ByMessages by -> {
        put(dependent, Keys.TRIAGE_URL, by.url().toString(), "messages");
        if (by.token() instanceof Credential.Environment(String variable)) {
          put(dependent, Keys.TRIAGE_TOKEN.getFirst(), variable, "messages");
        }
      }
    }
    return configuration.rows().stream()
        .map(row ->
            row.source().equals(Configuration.DEFAULT_ORIGIN)
                ? dependent.getOrDefault(row.key(), row)
                : row)
        .toList();
  }

  /** A value that follows from something that is configured. */
  private static void put(
      Map<String, Configuration.Row> rows, Key<?> key, @Nullable String value, String cause) {
    if (value != null) {
      rows.put(key.name(), new Configuration.Row(key.name(), value, "default for " + cause));
    }
  }

  /**
   * Makes everything once, so that values which do not fit each other are found before anything
   * starts.
   *
   * @throws ConfigurationError if something is invalid
   */
  public void check() {
    List<Problem> problems = EntryList.problems(configuration);
    if (!problems.isEmpty()) {
      throw new ConfigurationError(problems);
    }
    producer();
    triage();
    var _ = classifier();
    var _ = triagePrompt();
    var _ = push();
    runner("check");
    console();
    notifications();
    var _ = topics();
  }

  /**
   * Where trackers push to.
   *
   * @param secret that they prove to know
   */
  public record Push(ListenAddress listen, Supplier<String> secret) {
    /** Fewer characters could be guessed by someone who has one signed body. */
    private static final int LEAST = 16;
  }

  /** Where trackers push to; empty unless configured. */
  public Optional<Push> push() {
    Credential stored = configuration.credential(Keys.PUSH_SECRET);
    Supplier<String> secret = () -> Tokens.secret(stored, System.getenv(), "secret").orElse("");
    Optional<ListenAddress> listen = configuration.find(Keys.PUSH_LISTEN);
    if (listen.isPresent() && secret.get().length() < Push.LEAST) {
      throw configuration.error(
          Keys.PUSH_LISTEN,
          "push.listen needs a secret of at least "
              + Push.LEAST
              + " characters; name it with push.secret-env or push.secret-file");
    }
    return listen.map(address -> new Push(address, secret));
  }

  /** The console's configuration. */
  public ConsoleConfig console() {
    return new ConsoleConfig(
        folder("console"),
        ConsoleConfig.TIMELINE,
        configuration.get(Keys.WALL_CLOCK),
        agents().reserves(),
        configuration.find(Keys.TRACES_LINK).orElse(null));
  }

  /** The targets of notifications, and the address for their links. */
  public NotifyConfig notifications() {
    return new NotifyConfig(
        EntryList.NOTIFY.read(configuration, ConfiguredTarget::target),
        configuration.find(Keys.CONSOLE_URL).orElse(null));
  }

  /** The collector of spans; empty unless configured. */
  public Optional<URI> traces() {
    return configuration.find(Keys.TRACES_ENDPOINT).map(URI::create);
  }

  /** A role's label: kept in its folder, for a runner unless it is configured. */
  public String label(String role) {
    return configuration
        .find(Keys.RUNNER_ID)
        .filter(_ -> role.equals("runner"))
        .orElseGet(() -> keptLabel(folder(role)));
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
          "no Kafka is named; give --bootstrap-servers HOST:PORT or set kafka.bootstrap.servers");
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
    return configuration.get(Keys.DATA).resolve(role);
  }

  /** What judges batches of changed items. */
  public ConfiguredClassifier classifier() {
    return agents().classifier();
  }

  /** The configured agents, and what they may cost. */
  public ConfiguredProfiles agents() {
    return ConfiguredProfiles.of(configuration);
  }

  /** The budgets of a day that the first runner writes to an empty ledger. */
  public List<ScopedLimits> budgets() {
    return agents().dailyBudget().stream()
        .map(micros -> new ScopedLimits(Scope.GLOBAL, new Limits(micros, null)))
        .toList();
  }

  /** A record of defaults with the configured values in it. */
  private <R extends Record> R filled(Supplier<R> defaults) {
    return checked(() -> configuration.over(defaults.get()));
  }

  private <T> T checked(Supplier<T> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new ConfigurationError(String.valueOf(e.getMessage()));
    }
  }

  /**
   * A role's label when none is configured: the host's name and a suffix that stays with the data
   * folder, made on first use.
   */
  private static String keptLabel(Path folder) {
    Path file = folder.resolve("role-id");
    try {
      if (Files.exists(file)) {
        String kept = Files.readString(file).strip();
        if (kept.matches("[A-Za-z0-9._-]{1,64}")) {
          return kept;
        }
      }
      String made =
          host()
              + "-"
              + String.format(Locale.ROOT, "%04x", ThreadLocalRandom.current().nextInt(1 << 16));
      Files.createDirectories(folder);
      Files.writeString(file, made + "\n");
      return made;
    } catch (IOException e) {
      String problem = "data folder " + folder + " cannot be written (" + e.getMessage() + ")";
      throw new StartFailure(problem + "; make it writable, or use another with --data", e);
    }
  }

  private static String host() {
    try {
      String name = InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9.-]", "-");
      return name.isEmpty() ? "host" : name.substring(0, Math.min(MAX_HOST, name.length()));
    } catch (UnknownHostException e) {
      return "host";
    }
  }
}
