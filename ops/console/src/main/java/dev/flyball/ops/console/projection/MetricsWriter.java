package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.projection.MetricTable.Window;
import dev.flyball.ops.telemetry.Health;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes changed windows to the metrics topic. Nothing depends on it: while it cannot, health is
 * degraded, and it writes what it missed afterwards. Used by the projection's thread.
 */
final class MetricsWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsWriter.class);

  /** A window is written at most once in this time. */
  private static final Duration TICK = Duration.ofSeconds(5);

  /** While the projection is further behind, windows of the past are still growing. */
  private static final double BEHIND_SECONDS = 60;

  /** How long one write may keep the projection waiting, and the wait after one that failed. */
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private static final Duration RETRY = Duration.ofSeconds(30);

  private static final int MOST = 1_000;

  private final Projection projection;
  private final String topic;
  private final String schema;
  private final Producer<String, byte[]> producer;
  private Instant next = Instant.EPOCH;
  private Health health = Health.healthy();

  MetricsWriter(KafkaClients clients, Projection projection) {
    this.projection = projection;
    this.topic = clients.topics().metrics();
    this.schema = clients.topics().spec(topic).schema();
    this.producer = clients.producer("metrics", LIMIT);
  }

  /** At worst degraded: a console without new windows shows everything else. */
  Health health() {
    return health;
  }

  /**
   * Writes what is due if it is time, and deletes what is no longer needed.
   *
   * @param behindSeconds how far the projection is behind the events
   */
  void write(double behindSeconds, Instant now) {
    if (!now.isBefore(next) && behindSeconds <= BEHIND_SECONDS) {
      next = now.plus(TICK);
      attempt(now);
    }
  }

  /** Writes everything that is due, as the last thing that it does. */
  void finish(Instant now) {
    while (health.equals(Health.healthy()) && attempt(now) == MOST) {}
  }

  /** Writes what is due; returns how many windows were. */
  private int attempt(Instant now) {
    var sent = new LinkedHashMap<MetricWindow, Future<RecordMetadata>>();
    try {
      projection.commit(() -> {
        for (Window window : projection.metrics.due(MOST)) {
          MetricWindow read = projection.metrics.read(window);
          byte[] value = RecordJson.bytes(read);
          var record =
              new ProducerRecord<>(topic, null, window.key(), value, EventHeaders.schema(schema));
          sent.put(read, producer.send(record));
        }
        for (var each : sent.entrySet()) {
          DeadLetterPublisher.await(each.getValue(), "window");
          projection.metrics.written(each.getKey());
        }
        projection.metrics.forget(now);
      });
      health = Health.healthy();
    } catch (KafkaException e) {
      LOG.warn("metrics topic cannot be written: {}; trying again", e.getMessage());
      health = Health.degraded("metrics", "metrics topic cannot be written: " + e.getMessage());
      next = now.plus(RETRY);
    }
    return sent.size();
  }

  @Override
  public void close() {
    producer.close(LIMIT);
  }
}
