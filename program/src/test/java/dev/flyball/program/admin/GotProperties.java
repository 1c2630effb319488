package dev.flyball.program.admin;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;

/** A plug-in of Kafka's clients that keeps the properties which a client was created with. */
public final class GotProperties implements MetricsReporter {
  static final List<Map<String, String>> ALL = new CopyOnWriteArrayList<>();

  /** Called by Kafka. */
  public GotProperties() {}

  /** The properties of the newest client whose id matches. */
  static Map<String, String> of(String clientId) {
    return ALL.stream()
        .filter(each -> each.getOrDefault("client.id", "").matches(clientId))
        .reduce((_, newer) -> newer)
        .orElseThrow(() -> new AssertionError(clientId + " is none of " + ids()));
  }

  private static List<String> ids() {
    return ALL.stream().map(each -> each.getOrDefault("client.id", "")).toList();
  }

  @Override
  public void configure(Map<String, ?> configs) {
    var all = new HashMap<String, String>();
    configs.forEach((name, value) -> all.put(name, String.valueOf(value)));
    ALL.add(all);
  }

  @Override
  public void init(List<KafkaMetric> metrics) {}

  @Override
  public void metricChange(KafkaMetric metric) {}

  @Override
  public void metricRemoval(KafkaMetric metric) {}

  @Override
  public void close() {}
}
