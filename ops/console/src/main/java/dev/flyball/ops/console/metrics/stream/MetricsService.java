package dev.flyball.ops.console.metrics.stream;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.streams.StreamApp;
import dev.flyball.streams.StreamSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.streams.StreamsConfig;

/**
 * Writes the metrics topic. Nothing waits for it: while it cannot, health is degraded, and it
 * counts what it missed afterwards.
 */
public final class MetricsService implements Service {
  private static final Duration TICK = Duration.ofSeconds(2);
  private static final Duration COMMIT = Duration.ofSeconds(1);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
  private static final long CACHE_BYTES = 2L << 20;

  private final KafkaClients clients;
  private final Duration tick;
  private final StreamApp app;

  /**
   * Nothing is opened before {@link #start}.
   *
   * @param folder the folder of the store; made if missing
   */
  public MetricsService(KafkaClients clients, Path folder) {
    this(clients, folder, TICK);
  }

  /**
   * The same for tests.
   *
   * @param tick how often changed windows are written
   */
  MetricsService(KafkaClients clients, Path folder, Duration tick) {
    this.clients = clients;
    this.tick = tick;
    this.app =
        new StreamApp(
            clients,
            new StreamSettings(
                "metrics topic",
                clients.topics().metricsApplicationId(),
                folder,
                COMMIT,
                properties(),
                error -> false,
                false));
  }

  private static Map<String, ?> properties() {
    return Map.of(
        // Records end a wait early; without any, nothing has to be done sooner.
        StreamsConfig.POLL_MS_CONFIG,
        COMMIT.toMillis(),
        StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG,
        CACHE_BYTES,
        // An idle broker answers each fetch after this time, with nothing; half a second by
        // default.
        StreamsConfig.mainConsumerPrefix("fetch.max.wait.ms"),
        "2000");
  }

  @Override
  public void start() {
    app.start(() -> MetricsTopology.build(clients.topics(), tick));
  }

  @Override
  public void stop() {
    app.stop(CLOSE_LIMIT);
  }

  /** At worst degraded: a console without new windows shows everything else. */
  @Override
  public Health health() {
    Health fold = app.health();
    return fold.status() == Health.Status.HEALTHY
        ? Health.healthy()
        : new Health(Health.Status.DEGRADED, true, fold.reasons());
  }
}
