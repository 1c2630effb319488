package dev.flyball.program.roles;

import dev.flyball.broker.EmbeddedBroker;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.kafka.BrokerUnreachable;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.PushEndpoint;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConsoleAddress;
import dev.flyball.program.config.Key;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.AppFactory.ProducerRole;
import dev.flyball.runner.RunnerApp;
import dev.flyball.tracker.SourceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One role against an existing Kafka, or all of them: as one service, with an embedded Kafka unless
 * another is configured, or for one file. Used by one thread.
 */
public final class RunningRoles implements Service {
  private static final Logger LOG = LoggerFactory.getLogger(RunningRoles.class);

  /** How long a console may take to read the last events of those that stopped before it. */
  private static final Duration LAST_EVENTS = Duration.ofSeconds(3);

  /** A wait for a broker sees a signal within this time. */
  private static final Duration ATTEMPT = Duration.ofSeconds(3);

  /** Attempts are this far apart even where each one fails fast. */
  private static final Duration PAUSE = Duration.ofMillis(250);

  private static final Duration LINE_EVERY = Duration.ofSeconds(10);

  /** The file in the console's folder that says where it answers, for {@code open}. */
  private static final String ADDRESS = "address";

  private final Plan plan;
  private final Configuration configuration;
  private final Consumer<String> notices;
  private final Signals signals;
  private final Telemetry telemetry = new Telemetry();
  private final CompletableFuture<String> fault = new CompletableFuture<>();

  /** What was opened, the newest first: it is closed in this order. */
  private final Deque<Map.Entry<String, AutoCloseable>> opened = new ArrayDeque<>();

  /** By their names, in the order in which they stop. */
  private volatile Map<String, Service> services = Map.of();

  private volatile String starting;
  private volatile @Nullable HotConfiguration hot;
  private @Nullable AppFactory apps;
  private String address = "";
  private String servers = "";

  /**
   * Which roles a process runs.
   *
   * @param only the one role; null for all of them
   * @param again how the configuration is read again when its file changes; only a producer applies
   *     changes while it runs
   * @param file what a run of one file needs; null for a service
   */
  public record Plan(
      @Nullable Role only, HotConfiguration.@Nullable Again again, @Nullable OfFile file) {

    /**
     * A run of one file, over an embedded Kafka on a free port. Nothing listens, no other source is
     * polled, nothing is sent, and the console keeps every event.
     *
     * @param source polled when it is asked
     * @param begun called once the console runs and before any other role starts; returns whether
     *     the others start
     */
    public record OfFile(SourceConfig.Jsonl source, Predicate<ConsoleApp> begun) {}

    private boolean runs(Role role) {
      return only == null || only == role;
    }

    private String name() {
      return only == null ? "Kafka" : only.label();
    }
  }

  /**
   * Nothing is opened before {@link #start}.
   *
   * @param notices takes a line every ten seconds while no broker answers, and one if the cap is
   *     not used
   * @param signals end the start, too
   */
  public RunningRoles(
      Plan plan, Configuration configuration, Signals signals, Consumer<String> notices) {
    this.plan = plan;
    this.configuration = configuration;
    this.notices = notices;
    this.signals = signals;
    this.starting = plan.name() + " is starting";
  }

  /** Completes with one line when the embedded Kafka has failed. */
  public CompletableFuture<String> fault() {
    return fault;
  }

  /** Where browsers and probes ask; empty before it listens. */
  public String address() {
    return plan.runs(Role.CONSOLE) ? configuration.find(Keys.CONSOLE_URL).orElse(address) : address;
  }

  /** Where Kafka answers readers; empty before it does. */
  public String servers() {
    return servers;
  }

  /** The line with its addresses; to be printed once it is ready. */
  public String readyLine() {
    if (plan.only() == null) {
      return "ready console=" + address() + " kafka=" + servers;
    }
    String role = plan.only().label();
    String id = new AppConfigurations(configuration).label(role);
    return "ready role=" + role + " id=" + id + " admin=" + address();
  }

  /** Clients of the Kafka that the roles use, which is known once it answers. */
  public KafkaClients clients(String purpose) {
    return Objects.requireNonNull(apps).clients(purpose);
  }

  /** The started service of this type. */
  public <T extends Service> T service(Class<T> type) {
    return services.values().stream()
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst()
        .orElseThrow();
  }

  /**
   * Starts to listen first, so that health answers meanwhile: a runner's sweep may take long. After
   * a signal it starts nothing more: the time of a stop counts from the signal.
   */
  @Override
  public void start() {
    Consumer<ConsoleApp> attached = plan.file() == null ? listen() : _ -> {};
    AppFactory made = provisioned();
    apps = made;
    if (signals.came()) {
      return;
    }
    starting = plan.name() + " is starting";
    if (plan.runs(Role.RUNNER)) {
      String command = plan.file() == null ? "up --cap" : "run --cap";
      String change = plan.only() == null ? command : null;
      CapChange.settle(made.clients("operator"), configuration, change).ifPresent(notices);
    }
    var all = new LinkedHashMap<String, Service>();
    SourceConfig file = plan.file() == null ? null : plan.file().source();
    Stream.of(Role.values())
        .filter(plan::runs)
        .forEach(role -> all.put(role.label(), made.app(role, file)));
    if (all.get(Role.CONSOLE.label()) instanceof ConsoleApp console) {
      attached.accept(console);
    }
    if (signals.came()) {
      return;
    }
    services = Collections.unmodifiableMap(all);
    all.reversed().forEach(this::open);
    if (plan.file() != null) {
      ConsoleApp console = service(ConsoleApp.class);
      console.start();
      if (!plan.file().begun().test(console)) {
        return;
      }
    }
    startTogether(all);
    if (all.get(Role.PRODUCER.label()) instanceof ProducerRole producer) {
      new AppConfigurations(configuration)
          .push()
          .ifPresent(push -> {
            String key = Keys.PUSH_LISTEN.name();
            var endpoint = new PushEndpoint(key, push.listen(), push.secret(), producer::hint);
            open("the address of pushes", endpoint);
            notices.accept("pushes of trackers are taken at " + endpoint.url() + "TENANT/SOURCE");
          });
    }
    if (plan.again() != null && all.get(Role.PRODUCER.label()) instanceof ProducerRole producer) {
      follow(plan.again(), producer);
    }
  }

  /** Starts to listen; returns how a console's pages are added. */
  private Consumer<ConsoleApp> listen() {
    telemetry.bindProcess();
    if (!plan.runs(Role.CONSOLE)) {
      Key<ListenAddress> key = Keys.ADMIN_LISTEN;
      listens(AdminServer.start(key.name(), configuration.get(key), telemetry, this::health));
      return _ -> {};
    }
    ConsoleAddress console = ConsoleAddress.of(configuration, System.getenv());
    var access = new ConsoleAccess(console.tokens(), console.secure(), InstantSource.system());
    var server = AdminServer.start(console.address(), access, telemetry, this::health);
    listens(server);
    server.starting(true);
    return app -> {
      app.attach(server, access, servers, new AppConfigurations(configuration).repositoryUrls());
      server.starting(false);
    };
  }

  private void listens(AdminServer server) {
    address = server.url();
    open("the address", server);
    if (plan.runs(Role.CONSOLE)) {
      Path folder = configuration.get(Keys.DATA).resolve(Role.CONSOLE.label());
      try {
        Files.writeString(folder.resolve(ADDRESS), address);
      } catch (IOException e) {
        LOG.warn("{} does not say where its console answers: {}", folder, e.toString());
      }
    }
  }

  /** Where the console that runs over this folder answers; empty if surely none runs. */
  public static Optional<String> consoleOf(Path folder) {
    try {
      return DataLock.ownerGone(folder)
          ? Optional.empty()
          : Optional.of(Files.readString(folder.resolve(ADDRESS)));
    } catch (IOException neverRan) {
      return Optional.empty();
    }
  }

  private void open(String name, AutoCloseable what) {
    opened.push(Map.entry(name, what));
  }

  /** In parallel, because a stream takes seconds to get ready. */
  private static void startTogether(Map<String, Service> services) {
    var starts = new ArrayList<Future<?>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      services.forEach((name, service) -> starts.add(threads.submit(() -> start(name, service))));
    }
    for (Future<?> start : starts) {
      if (start.state() != Future.State.SUCCESS) {
        Throwable cause = start.exceptionNow();
        throw cause instanceof RuntimeException known
            ? known
            : new StartFailure(cause.toString(), cause);
      }
    }
  }

  private static void start(String name, Service service) {
    long began = System.nanoTime();
    service.start();
    LOG.info("{} started in {} ms", name, millisSince(began));
  }

  private void follow(HotConfiguration.Again again, ProducerRole producer) {
    var watching =
        new HotConfiguration(
            again,
            configuration,
            changed -> {
              if (services.get(Role.RUNNER.label()) instanceof RunnerApp runner) {
                // Before the first poll, or its items would be declined for a moment.
                changed.sources().forEach(source -> runner.add(source.key()));
              }
              return producer.reconfigure(changed);
            });
    watching.start();
    hot = watching;
    open("the configuration", watching);
  }

  @Override
  public void stop() {
    while (!opened.isEmpty()) {
      var each = opened.pop();
      long began = System.nanoTime();
      try {
        if (each.getValue() instanceof ConsoleApp console) {
          // So that `items` and `analysis` answer completely after the process has ended.
          var _ = console.catchUp(LAST_EVENTS);
        }
        each.getValue().close();
      } catch (Exception e) {
        // The others must be stopped whether or not this one fails.
        LOG.error("{} did not stop cleanly", each.getKey(), e);
      }
      LOG.info("{} stopped in {} ms", each.getKey(), millisSince(began));
    }
  }

  private static long millisSince(long began) {
    return Duration.ofNanos(System.nanoTime() - began).toMillis();
  }

  @Override
  public void endDrain() {
    services.values().forEach(Service::endDrain);
  }

  @Override
  public Health health() {
    Map<String, Service> all = services;
    HotConfiguration watching = hot;
    Health health = all.isEmpty() ? Health.starting(starting) : together(all);
    return watching == null ? health : health.and(watching.health());
  }

  /**
   * The worst health, each condition once with the names of the services that report it: a pause in
   * the ledger is one fact, although several services read it.
   */
  static Health together(Map<String, Service> services) {
    Health all = Health.healthy();
    var reporters = new LinkedHashMap<Health.Condition, List<String>>();
    for (Map.Entry<String, Service> entry : services.entrySet()) {
      Health one = entry.getValue().health();
      for (Health.Condition condition : one.conditions()) {
        reporters.computeIfAbsent(condition, it -> new ArrayList<>()).add(entry.getKey());
      }
      all = all.and(one.because(List.of()));
    }
    var conditions = new ArrayList<Health.Condition>();
    reporters.forEach((it, names) -> {
      boolean clear =
          services.size() == 1 || (names.size() == 1 && it.text().startsWith(names.getFirst()));
      String text = clear ? it.text() : String.join(", ", names) + ": " + it.text();
      conditions.add(new Health.Condition(it.code(), it.of(), text));
    });
    return all.because(conditions);
  }

  /** The apps, once Kafka answers and has the topics. */
  private AppFactory provisioned() {
    Role only = plan.only();
    // A process with one role has that role's login; another one may be configured for no other.
    String purpose = only == null ? "topics" : only.label();
    if (plan.file() != null || (only == null && configuration.bootstrapServers().isEmpty())) {
      var own = new AppFactory(new AppConfigurations(embedded()), telemetry);
      own.provision(purpose);
      return own;
    }
    if (only == null) {
      servers = configuration.bootstrapServers().orElseThrow();
      KafkaFinder.tell(configuration.get(Keys.DATA), servers, false);
    }
    var found =
        new AppFactory(
            new AppConfigurations(
                only == null ? configuration : KafkaFinder.forRole(configuration)),
            telemetry);
    await(
        found.clients(purpose),
        () -> {
          // Checked before the topics: on a service's read-only listener the topics are not the
          // cause.
          found.requireWrite(only == null ? Role.RUNNER : only);
          found.provision(purpose);
        });
    return found;
  }

  private Configuration embedded() {
    ListenAddress listen = configuration.get(Keys.BROKER_LISTEN);
    EmbeddedBroker started =
        KafkaFinder.start(
            configuration.get(Keys.DATA),
            settings ->
                (plan.file() == null ? settings.at(listen.host(), listen.port()) : settings)
                    .reportingFaultsTo(line -> fault.complete("Kafka stopped: " + line)));
    open("Kafka", started);
    servers = started.bootstrapServers();
    return configuration.onEmbedded(started.clientProperties(), "embedded");
  }

  /**
   * Waits until a broker answers and {@code provision} has found or made its topics: services that
   * are started together come up in any order, and a service manager restarts one that exits only
   * at growing intervals.
   *
   * @throws StartFailure if none does within {@code broker.wait}, or a signal came
   * @throws dev.flyball.kafka.KafkaFailure if a broker answers and denies the login or the write,
   *     or a topic is wrong: waiting does not help
   */
  private void await(KafkaClients clients, Runnable provision) {
    Duration limit = configuration.get(Keys.BROKER_WAIT);
    long began = System.nanoTime();
    long nextLine = began;
    while (true) {
      try {
        // The first request of provision may wait a minute for its answer.
        clients.reach(ATTEMPT);
        provision.run();
        return;
      } catch (BrokerUnreachable e) {
        if (limit.isZero()) {
          throw e;
        }
        long now = System.nanoTime();
        Duration left = limit.minusNanos(now - began);
        if (signals.came()) {
          throw new StartFailure("stopped while it waited for Kafka", e);
        }
        if (!left.isPositive()) {
          throw new StartFailure(
              e.getMessage() + "; waited " + TimeSpan.exact(limit) + " (broker.wait)", e);
        }
        if (now >= nextLine) {
          nextLine = now + LINE_EVERY.toNanos();
          String waits = "waiting for Kafka at " + clients.bootstrapServers() + ": " + e.problem();
          starting = waits + "; gives up in " + left.toSeconds() + " s (broker.wait)";
          notices.accept(starting);
        }
        var _ = signals.within(PAUSE);
      }
    }
  }
}
