package dev.flyball.kafka;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.jspecify.annotations.Nullable;

/**
 * Passes a client's figures to the observer of its settings. Kafka makes one instance for each
 * client, those of Kafka Streams included; that is why the observer is a property.
 */
public final class ObservingReporter implements MetricsReporter {
  /** The property that holds the {@link ClientObserver}. */
  static final String OBSERVER = "flyball.client.observer";

  private final Set<KafkaMetric> passed = ConcurrentHashMap.newKeySet();
  private volatile @Nullable ClientObserver observer;

  /** For Kafka, which configures it next. */
  public ObservingReporter() {
    // Kafka needs a public constructor without parameters.
  }

  @Override
  public void configure(Map<String, ?> configs) {
    observer = configs.get(OBSERVER) instanceof ClientObserver configured ? configured : null;
  }

  @Override
  public void init(List<KafkaMetric> metrics) {
    metrics.forEach(this::metricChange);
  }

  @Override
  public void metricChange(KafkaMetric metric) {
    ClientObserver to = observer;
    if (to != null && passed.add(metric)) {
      var name = metric.metricName();
      to.added(metric, name.group(), name.name(), name.tags(), () -> value(metric));
    }
  }

  @Override
  public void metricRemoval(KafkaMetric metric) {
    ClientObserver to = observer;
    if (to != null && passed.remove(metric)) {
      to.removed(metric);
    }
  }

  /** Kafka removes no figure when a client is closed. */
  @Override
  public void close() {
    passed.forEach(this::metricRemoval);
  }

  private static double value(KafkaMetric metric) {
    return metric.metricValue() instanceof Number number ? number.doubleValue() : Double.NaN;
  }
}
