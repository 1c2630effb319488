package dev.flyball.ops.console;

import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.console.notify.Notifier;
import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.console.projection.Projector;
import dev.flyball.ops.console.trace.TraceExporter;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.HealthReport;
import dev.flyball.ops.telemetry.MachineLoad;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.Telemetry;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Folds Kafka's records into the projection that the page, the metrics and the command line read,
 * and events into the metrics topic. Decides nothing. Its topics must exist, except triage-stream's
 * state topic, which may be created later.
 */
public final class ConsoleApp implements Service {
  private final ConsoleConfig config;
  private final KafkaSettings kafka;
  private final Telemetry telemetry;
  private final InstantSource clock = InstantSource.system();

  /** What runs between start and stop; written under this object's monitor, read by any thread. */
  private volatile @Nullable Projector projector;

  /** The health of the process that the console serves; written before the start. */
  private volatile @Nullable AdminServer server;

  private final NotifyConfig notify;
  private final @Nullable URI traces;
  private final Supplier<HttpClient> http;

  /** What notifies between start and stop; written and read as the projector. */
  private volatile @Nullable Notifier notifier;

  /** What sends spans between start and stop; written and read as the projector. */
  private volatile @Nullable TraceExporter exporter;

  /** A console without notifications. Nothing is opened before {@link #start}. */
  public ConsoleApp(ConsoleConfig config, KafkaSettings kafka, Telemetry telemetry) {
    this(config, kafka, telemetry, NotifyConfig.none(), null, HttpClient::newHttpClient);
  }

  /**
   * A console that notifies people. Nothing is opened before {@link #start}.
   *
   * @param traces the collector of spans; null for none
   * @param http makes a client that posts notifications or spans; it must follow no redirect
   */
  public ConsoleApp(
      ConsoleConfig config,
      KafkaSettings kafka,
      Telemetry telemetry,
      NotifyConfig notify,
      @Nullable URI traces,
      Supplier<HttpClient> http) {
    this.config = config;
    this.kafka = kafka;
    this.telemetry = telemetry;
    this.notify = notify;
    this.traces = traces;
    this.http = http;
  }

  /**
   * Adds the pages, {@code /api/} and {@code /actions/} to a role's admin address; may be called
   * before the start.
   *
   * @param access who sends a request; the server asks it too
   * @param broker the address of Kafka that readers use; empty for the one that is configured
   * @param repositories the URL of the repository of each source that has one, by {@code
   *     tenant/source}, for links to its files
   */
  public void attach(
      AdminServer server, ConsoleAccess access, String broker, Map<String, String> repositories) {
    this.server = server;
    access.attach(server);
    String address =
        broker.isEmpty()
            ? Objects.requireNonNull(kafka.properties().get("bootstrap.servers"))
            : broker;
    PageRoutes.attach(
        server, config, clock, kafka, access::viewer, address, repositories, this::commits);
    new ConsoleRoutes(config, access, clock).attach(server);
    new ActionRoutes(config, access, kafka, clock).attach(server);
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
      var next = Projector.open(config, kafka, telemetry);
      if (!notify.targets().isEmpty()) {
        notifier = new Notifier(notify, kafka, telemetry, http.get(), this::report);
      }
      if (traces != null) {
        exporter = new TraceExporter(traces, kafka, http.get());
      }
      next.start();
      projector = next;
    }
  }

  private long commits() {
    Projector running = projector;
    return running == null ? 0 : running.commits();
  }

  /** What /health of this process answers; of a console without an address, its own. */
  private HealthReport report() {
    AdminServer attached = server;
    return attached == null
        ? HealthReport.of(health(), 0, 0, MachineLoad.now(), 0)
        : attached.report();
  }

  @Override
  public synchronized void stop() {
    Projector running = projector;
    projector = null;
    if (running != null) {
      running.close();
    }
    Notifier notifying = notifier;
    notifier = null;
    if (notifying != null) {
      notifying.close();
    }
    TraceExporter tracing = exporter;
    exporter = null;
    if (tracing != null) {
      tracing.close();
    }
  }

  @Override
  public Health health() {
    Projector running = projector;
    if (running == null) {
      return Health.starting("console is not started");
    }
    Health health = running.health();
    Notifier notifying = notifier;
    TraceExporter tracing = exporter;
    health = notifying == null ? health : health.and(notifying.health());
    return tracing == null ? health : health.and(tracing.health());
  }
}
