package dev.flyball.program.roles;

import dev.flyball.broker.EmbeddedBroker;
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
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConsoleAddress;
import dev.flyball.program.config.DurationText;
import dev.flyball.program.config.Key;
import dev.flyball.program.config.Keys;
import dev.flyball.runner.RunnerApp;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One role against an existing Kafka, or all of them as one service, with an embedded Kafka unless
 * another is configured. Used by one thread.
 */
public final class RunningRoles implements Service {
  /** The order in which services stop. */
  private static final List<Role> ORDER =
      List.of(Role.PRODUCER, Role.RUNNER, Role.TRIAGE, Role.CONSOLE);

  private final @Nullable Role only;
  private final Configuration configuration;
  private final HotConfiguration.@Nullable Again again;
  private final Consumer<String> notices;
  private final BooleanSupplier ended;
  private final BrokerWait wait;
  private final Telemetry telemetry = new Telemetry();
  private final CompletableFuture<String> fault = new CompletableFuture<>();
  private volatile String starting;
  private volatile @Nullable Service running;
  private volatile @Nullable HotConfiguration hot;
  private @Nullable EmbeddedBroker broker;
  private @Nullable AdminServer admin;
  private String servers = "";

  /**
   * Nothing is opened before {@link #start}.
   *
   * @param only the one role; null for all of them
   * @param again how the configuration is read again when its file changes; only a producer applies
   *     changes while it runs
   * @param notices takes a line every ten seconds while no broker answers, and one if the cap is
   *     not used
   * @param ended whether a signal came
   */
  public RunningRoles(
      @Nullable Role only,
      Configuration configuration,
      HotConfiguration.@Nullable Again again,
      Consumer<String> notices,
      BooleanSupplier ended) {
    this.only = only;
    this.configuration = configuration;
    this.again = again;
    this.notices = notices;
    this.ended = ended;
    this.starting = starting();
    this.wait =
        new BrokerWait(
            configuration.get(Keys.BROKER_WAIT),
            line -> {
              starting = line;
              notices.accept(line);
            },
            ended);
  }

  /** Completes with one line when the embedded Kafka has failed. */
  public CompletableFuture<String> fault() {
    return fault;
  }

  /** The line with its addresses; to be printed once it is ready. */
  public String readyLine() {
    String own = admin == null ? "" : admin.url();
    String url = runs(Role.CONSOLE) ? configuration.find(Keys.CONSOLE_URL).orElse(own) : own;
    return only == null
        ? "ready console=" + url + " kafka=" + servers
        : "ready role="
            + only.label()
            + " id="
            + new AppConfigurations(configuration).label(only.label())
            + " admin="
            + url;
  }

  /**
   * Starts the admin endpoint first, so that health answers meanwhile: a runner's sweep may take
   * long. After a signal it starts nothing more: the time of a stop counts from the signal.
   */
  @Override
  public void start() {
    telemetry.bindProcess();
    ConsoleAccess access = ConsoleAccess.everybody();
    AdminServer server;
    if (runs(Role.CONSOLE)) {
      ConsoleAddress console = ConsoleAddress.of(configuration, System.getenv());
      access = new ConsoleAccess(console.tokens(), console.secure(), InstantSource.system());
      server = AdminServer.start(console.address(), access, telemetry, this::health);
      server.starting(true);
    } else {
      Key<ListenAddress> listen = Keys.ADMIN_LISTEN;
      server = AdminServer.start(listen.name(), configuration.get(listen), telemetry, this::health);
    }
    admin = server;
    AppFactory apps = provisioned();
    if (ended.getAsBoolean()) {
      return;
    }
    starting = starting();
    if (runs(Role.RUNNER)) {
      String why = only == null ? "up --cap" : null;
      CapChange.settle(apps.clients("operator"), configuration, why).ifPresent(notices);
    }
    Map<Role, Service> services = new LinkedHashMap<>();
    ORDER.stream().filter(this::runs).forEach(role -> services.put(role, apps.app(role)));
    if (services.get(Role.CONSOLE) instanceof ConsoleApp console) {
      console.attach(server, access, servers);
      server.starting(false);
    }
    if (ended.getAsBoolean()) {
      return;
    }
    Service started = together(services);
    running = started;
    started.start();
    if (services.get(Role.PRODUCER) instanceof ProducerRole producer && again != null) {
      var watching =
          new HotConfiguration(
              again,
              configuration,
              changed -> {
                if (services.get(Role.RUNNER) instanceof RunnerApp runner) {
                  // Before the first poll, or its items would be declined for a moment.
                  changed.sources().forEach(source -> runner.add(source.key()));
                }
                return producer.reconfigure(changed);
              });
      watching.start();
      hot = watching;
    }
  }

  @Override
  public void stop() {
    if (hot != null) {
      hot.close();
    }
    if (running != null) {
      running.stop();
    }
    if (admin != null) {
      admin.close();
    }
    if (broker != null) {
      broker.close();
    }
  }

  @Override
  public void endDrain() {
    Service service = running;
    if (service != null) {
      service.endDrain();
    }
  }

  @Override
  public Health health() {
    Service service = running;
    HotConfiguration watching = hot;
    Health health = service == null ? Health.starting(starting) : service.health();
    return watching == null ? health : health.and(watching.health());
  }

  private boolean runs(Role role) {
    return only == null || only == role;
  }

  private String starting() {
    return (only == null ? "Kafka" : only.label()) + " is starting";
  }

  private static Service together(Map<Role, Service> services) {
    if (services.size() == 1) {
      return services.values().iterator().next();
    }
    var all = new LinkedHashMap<String, Service>();
    services.forEach((role, service) -> all.put(role.label(), service));
    return new ServiceGroup(all);
  }

  /** The apps, once Kafka answers and has the topics. */
  private AppFactory provisioned() {
    if (only == null && configuration.bootstrapServers().isEmpty()) {
      var apps = new AppFactory(new AppConfigurations(embedded()), telemetry);
      apps.provision("topics");
      return apps;
    }
    Configuration reachable = configuration;
    if (only == null) {
      servers = configuration.bootstrapServers().orElseThrow();
      KafkaFinder.tell(configuration.get(Keys.DATA), servers);
    } else {
      reachable = KafkaFinder.forRole(configuration);
    }
    var apps = new AppFactory(new AppConfigurations(reachable), telemetry);
    // A process with one role has that role's login; another one may be configured for no other.
    String purpose = only == null ? "topics" : only.label();
    wait.provision(
        apps.clients(purpose),
        () -> {
          // Checked before the topics: on a service's read-only listener the topics are not the
          // cause.
          apps.requireWrite(only == null ? Role.RUNNER : only);
          apps.provision(purpose);
        });
    return apps;
  }

  private Configuration embedded() {
    ListenAddress listen = configuration.get(Keys.BROKER_LISTEN);
    EmbeddedBroker started =
        KafkaFinder.start(
            configuration.get(Keys.DATA),
            settings ->
                settings
                    .at(listen.host(), listen.port())
                    .reportingFaultsTo(line -> fault.complete("Kafka stopped: " + line)));
    broker = started;
    servers = started.bootstrapServers();
    return configuration.onEmbedded(started.clientProperties(), "embedded");
  }

  /**
   * Lets a service that starts before its broker wait for it. Services that are started together
   * come up in any order. A service that exits instead is restarted by its service manager only at
   * growing intervals.
   *
   * @param limit how long it waits; zero fails at the first attempt
   * @param progress takes one line every ten seconds
   * @param ended whether a signal came
   */
  record BrokerWait(Duration limit, Consumer<String> progress, BooleanSupplier ended) {
    private static final Duration LINE_EVERY = Duration.ofSeconds(10);

    /** A signal is seen within this time. */
    private static final Duration ATTEMPT = Duration.ofSeconds(3);

    /** Attempts are this far apart even where each one fails fast. */
    private static final Duration PAUSE = Duration.ofMillis(250);

    /**
     * Returns once a broker answers and {@code provision} has found or made its topics.
     *
     * @throws StartFailure if none does within the limit, or a signal came
     * @throws dev.flyball.kafka.KafkaFailure if a broker answers and denies the login or the write,
     *     or a topic is wrong: waiting does not help
     */
    void provision(KafkaClients clients, Runnable provision) {
      if (limit.isZero()) {
        // The first request of provision may wait a minute for its answer.
        clients.reach(ATTEMPT);
        provision.run();
        return;
      }
      long began = System.nanoTime();
      long nextLine = began;
      while (true) {
        try {
          clients.reach(ATTEMPT);
          provision.run();
          return;
        } catch (BrokerUnreachable e) {
          long now = System.nanoTime();
          long left = limit.toNanos() - (now - began);
          if (ended.getAsBoolean()) {
            throw new StartFailure("stopped while it waited for Kafka", e);
          }
          if (left <= 0) {
            throw new StartFailure(
                e.getMessage() + "; waited " + DurationText.format(limit) + " (broker.wait)", e);
          }
          if (now >= nextLine) {
            nextLine = now + LINE_EVERY.toNanos();
            progress.accept(
                "waiting for Kafka at "
                    + clients.bootstrapServers()
                    + ": "
                    + e.problem()
                    + "; gives up in "
                    + Duration.ofNanos(left).toSeconds()
                    + " s (broker.wait)");
          }
          pause();
        }
      }
    }

    private static void pause() {
      try {
        Thread.sleep(PAUSE);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StartFailure("interrupted while it waited for Kafka", e);
      }
    }
  }
}
