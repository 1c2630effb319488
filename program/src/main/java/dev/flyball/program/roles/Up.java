package dev.flyball.program.roles;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.broker.EmbeddedBroker;
import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.ProducerApp;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs every role as one service, with an embedded Kafka unless another is configured. Used by one
 * thread.
 */
public final class Up implements Service {
  private final Configuration configuration;
  private final HotConfiguration.@Nullable Again again;
  private final Telemetry telemetry = new Telemetry();
  private final CompletableFuture<String> fault = new CompletableFuture<>();
  private volatile Health beforeStart = Health.starting("starting");
  private volatile @Nullable ServiceGroup pipeline;
  private volatile @Nullable HotConfiguration hot;
  private final BrokerWait wait;
  private @Nullable EmbeddedBroker broker;
  private @Nullable AdminServer admin;
  private String servers = "";

  /**
   * Nothing is opened before {@link #start}.
   *
   * @param again how the configuration is read again when its file changes
   * @param progress takes a line every ten seconds while no broker answers
   * @param ended whether a signal came meanwhile
   */
  public Up(
      Configuration configuration,
      HotConfiguration.@Nullable Again again,
      Consumer<String> progress,
      BooleanSupplier ended) {
    this.configuration = configuration;
    this.wait =
        new BrokerWait(
            configuration.get(Keys.BROKER_WAIT),
            line -> {
              beforeStart = Health.starting(line);
              progress.accept(line);
            },
            ended);
    this.again = again;
  }

  /** Completes with one line when the embedded Kafka has failed. */
  public CompletableFuture<String> fault() {
    return fault;
  }

  /** The line with its addresses; to be printed once it is ready. */
  public String readyLine() {
    return "ready console=" + (admin == null ? "" : admin.url()) + " kafka=" + servers;
  }

  @Override
  public void start() {
    telemetry.bindProcess();
    admin =
        AdminServer.start(
            Keys.CONSOLE_LISTEN.name(),
            configuration.get(Keys.CONSOLE_LISTEN),
            telemetry,
            this::health);
    beforeStart = Health.starting("Kafka is starting");
    Configuration reachable = reachable();
    var apps = new AppFactory(new AppConfigurations(reachable), telemetry);
    if (broker == null) {
      wait.provision(apps.clients("wait"), apps::provision);
      apps.requireWrite(Role.RUNNER);
    } else {
      apps.provision();
    }
    CapChange.apply(apps.clients("operator"), configuration, "up --cap");
    Map<String, Service> services = new LinkedHashMap<>();
    ProducerApp producer = apps.producer();
    services.put(Role.PRODUCER.label(), producer);
    for (Role role : new Role[] {Role.RUNNER, Role.TRIAGE}) {
      services.put(role.label(), apps.app(role));
    }
    ConsoleApp console = apps.console();
    console.attach(admin);
    services.put(Role.CONSOLE.label(), new DrainingConsole(console));
    var started = new ServiceGroup(services);
    pipeline = started;
    started.start();
    if (again != null) {
      var watching = new HotConfiguration(again, configuration, producer::reconfigure);
      watching.start();
      hot = watching;
    }
  }

  @Override
  public void stop() {
    if (hot != null) {
      hot.close();
    }
    if (pipeline != null) {
      pipeline.stop();
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
    ServiceGroup running = pipeline;
    if (running != null) {
      running.endDrain();
    }
  }

  @Override
  public Health health() {
    ServiceGroup running = pipeline;
    HotConfiguration watching = hot;
    Health health = running == null ? beforeStart : running.health();
    return watching == null ? health : health.and(watching.health());
  }

  private Configuration reachable() {
    Path data = configuration.path(Keys.DATA);
    if (configuration.bootstrapServers().isPresent()) {
      servers = configuration.bootstrapServers().get();
      KafkaAddress.tell(data, servers);
      return configuration;
    }
    ListenAddress listen = configuration.get(Keys.BROKER_LISTEN);
    EmbeddedBroker started =
        EmbeddedBroker.start(
            BrokerConfig.in(KafkaAddress.broker(data))
                .at(listen.host(), listen.port())
                .telling(line -> fault.complete("Kafka stopped: " + line)));
    broker = started;
    servers = started.bootstrapServers();
    KafkaAddress.tell(data, started);
    return configuration.onEmbedded(started.clientProperties(), "embedded");
  }
}
