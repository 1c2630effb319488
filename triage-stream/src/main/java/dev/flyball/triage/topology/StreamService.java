package dev.flyball.triage.topology;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.streams.StreamApp;
import dev.flyball.streams.StreamSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the topology, after the gaps in its inputs are known. */
public final class StreamService implements Service {
  private static final Logger LOG = LoggerFactory.getLogger(StreamService.class);

  /** How long a decision may wait until other apps see it. */
  private static final Duration COMMIT_INTERVAL = Duration.ofMillis(100);

  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(20);

  /** Records behind from which health is degraded. */
  private static final double LAGGING = 10_000;

  private final KafkaClients clients;
  private final TriageTopology.Settings topology;
  private final StreamApp app;

  /** Written by start(), read by health(). */
  private volatile List<String> gaps = List.of();

  /**
   * @param folder the folder of the stores; created if missing
   */
  public StreamService(KafkaClients clients, TriageTopology.Settings topology, Path folder) {
    this.clients = clients;
    this.topology = topology;
    this.app =
        new StreamApp(
            clients,
            new StreamSettings(
                "triage stream",
                clients.topics().applicationId(),
                folder,
                COMMIT_INTERVAL,
                properties(),
                LedgerFault.class::isInstance,
                true));
  }

  private static Map<String, ?> properties() {
    return Map.of(
        // Records end a wait early, but a commit that became due meanwhile comes after it. Each
        // round of an idle stream asks for the lag of every partition: 100 ms by default.
        StreamsConfig.POLL_MS_CONFIG,
        300,
        StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG,
        0,
        StreamsConfig.producerPrefix("batch.size"),
        "131072",
        // Half a second by default; a stop waits for it.
        StreamsConfig.mainConsumerPrefix("fetch.max.wait.ms"),
        "1000");
  }

  @Override
  public synchronized void start() {
    app.start(this::prepared);
  }

  private Topology prepared() {
    gaps =
        ReadGaps.find(
            clients, clients.topics().applicationId(), TriageTopology.inputs(clients.topics()));
    gaps.forEach(gap -> LOG.error("records are missing: {}", gap));
    return TriageTopology.build(topology);
  }

  @Override
  public synchronized void stop() {
    app.stop(CLOSE_LIMIT);
  }

  @Override
  public Health health() {
    Health running = app.health();
    return running.equals(Health.healthy()) ? lagging(app.metrics()).and(missing()) : running;
  }

  /**
   * Degraded until the next start: an operator has to see the gap, and nothing else remembers it.
   */
  private Health missing() {
    List<String> lines = gaps;
    return lines.isEmpty()
        ? Health.healthy()
        : Health.degraded(
            "triage stream: "
                + lines.getFirst()
                + (lines.size() == 1 ? "" : "; " + (lines.size() - 1) + " more in the log"));
  }

  /**
   * Judges by the present lag of each partition. The metric of the largest lag keeps its value for
   * a minute after every record was read.
   */
  static Health lagging(Collection<? extends Metric> metrics) {
    double lag =
        metrics.stream()
            .filter(metric -> metric.metricName().name().equals("records-lag"))
            .map(Metric::metricValue)
            .filter(Double.class::isInstance)
            .mapToDouble(Double.class::cast)
            .filter(Double::isFinite)
            .max()
            .orElse(0);
    return lag > LAGGING
        ? Health.degraded("triage stream: " + Math.round(lag) + " records behind")
        : Health.healthy();
  }
}
