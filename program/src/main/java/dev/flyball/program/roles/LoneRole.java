package dev.flyball.program.roles;

import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.ProducerApp;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Key;
import dev.flyball.program.config.Keys;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One role against an existing Kafka. Used by one thread. */
public final class LoneRole implements Service {
  private final Role role;
  private final Configuration configuration;
  private final Telemetry telemetry = new Telemetry();
  private final HotConfiguration.@Nullable Again again;
  private volatile @Nullable Service app;
  private volatile @Nullable HotConfiguration hot;
  private final BrokerWait broker;
  private volatile String starting;
  private @Nullable AdminServer admin;

  /**
   * Nothing is opened before {@link #start}.
   *
   * @param again how the configuration is read again when its file changes; only a producer applies
   *     changes while it runs
   * @param progress takes a line every ten seconds while no broker answers
   * @param ended whether a signal came meanwhile
   */
  public LoneRole(
      Role role,
      Configuration configuration,
      HotConfiguration.@Nullable Again again,
      Consumer<String> progress,
      BooleanSupplier ended) {
    this.role = role;
    this.starting = role.label() + " is starting";
    this.broker =
        new BrokerWait(
            configuration.get(Keys.BROKER_WAIT),
            line -> {
              starting = line;
              progress.accept(line);
            },
            ended);
    this.again = again;
    this.configuration = configuration;
  }

  /** The line with its id and address; to be printed once it is ready. */
  public String readyLine() {
    String id = new AppConfigurations(configuration).label(role.label());
    return "ready role="
        + role.label()
        + " id="
        + id
        + " admin="
        + (admin == null ? "" : admin.url());
  }

  /**
   * Starts the admin endpoint before the app, so that health answers meanwhile: a runner's sweep
   * may take long.
   */
  @Override
  public void start() {
    telemetry.bindProcess();
    Key<ListenAddress> listen = role == Role.CONSOLE ? Keys.CONSOLE_LISTEN : Keys.ADMIN_LISTEN;
    AdminServer server =
        AdminServer.start(listen.name(), configuration.get(listen), telemetry, this::health);
    admin = server;
    var apps = new AppFactory(new AppConfigurations(KafkaFinder.forRole(configuration)), telemetry);
    broker.provision(
        apps.clients("wait"),
        () -> {
          // Checked before the topics: on a service's read-only listener the topics are not the
          // cause.
          apps.requireWrite(role);
          apps.provision();
        });
    starting = role.label() + " is starting";
    Service made = apps.app(role);
    if (made instanceof ConsoleApp console) {
      console.attach(server);
    }
    app = made;
    made.start();
    if (made instanceof ProducerApp producer && again != null) {
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
    if (app != null) {
      app.stop();
    }
    if (admin != null) {
      admin.close();
    }
  }

  @Override
  public void endDrain() {
    Service running = app;
    if (running != null) {
      running.endDrain();
    }
  }

  @Override
  public Health health() {
    Service running = app;
    HotConfiguration watching = hot;
    Health health = running == null ? Health.starting(starting) : running.health();
    return watching == null ? health : health.and(watching.health());
  }
}
