package dev.flyball.ops.console;

import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.console.operate.OperatorActions;
import dev.flyball.ops.console.projection.Projector;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.Telemetry;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Folds Kafka's records into the projection that the page, the metrics and the command line read.
 * Decides nothing. Its topics must exist, except triage-stream's state topic, which may be created
 * later.
 */
public final class ConsoleApp implements Service {
  private final ConsoleConfig config;
  private final KafkaSettings kafka;
  private final Telemetry telemetry;
  private final InstantSource clock = InstantSource.system();

  /** What runs between start and stop; written under this object's monitor, read by any thread. */
  private volatile @Nullable Projector projector;

  /** Nothing is opened before {@link #start}. */
  public ConsoleApp(ConsoleConfig config, KafkaSettings kafka, Telemetry telemetry) {
    this.config = config;
    this.kafka = kafka;
    this.telemetry = telemetry;
  }

  /**
   * Adds the page, {@code /api/} and {@code /actions/} to a role's admin address; may be called
   * before the start.
   *
   * @param access who sends a request; the server asks it too
   */
  public void attach(AdminServer server, ConsoleAccess access) {
    access.attach(server);
    new ConsoleRoutes(config, access, clock).attach(server);
    new ActionRoutes(config, access, new OperatorActions(kafka), clock).attach(server);
  }

  /** The same where every client is an administrator. */
  public void attach(AdminServer server) {
    attach(server, ConsoleAccess.everybody());
  }

  /**
   * Waits until everything that Kafka holds now is in the projection.
   *
   * @return whether it is within the limit
   */
  public boolean catchUp(Duration limit) {
    Projector running = projector;
    return running != null && running.catchUp(limit);
  }

  /**
   * Begins to fold; waits for a broker that does not answer yet.
   *
   * @throws dev.flyball.ops.telemetry.StartFailure if the data folder cannot be used
   */
  @Override
  public synchronized void start() {
    if (projector == null) {
      var next =
          Projector.open(config.data(), config.timeline(), config.sessions(), kafka, telemetry);
      next.start();
      projector = next;
    }
  }

  @Override
  public synchronized void stop() {
    Projector running = projector;
    projector = null;
    if (running != null) {
      running.close();
    }
  }

  @Override
  public Health health() {
    Projector running = projector;
    return running == null ? Health.starting("console is not started") : running.health();
  }
}
