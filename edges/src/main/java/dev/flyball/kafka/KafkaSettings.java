package dev.flyball.kafka;

import dev.flyball.contract.topic.Topics;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a role reaches Kafka.
 *
 * @param topics the topics' names
 * @param properties every Kafka property of this role, {@code bootstrap.servers} among them
 * @param replication on how many brokers each topic is kept ({@code topics.replication}); fewer
 *     would lose records with one of them
 * @param figures show the figures of every client; null if they are not read
 */
public record KafkaSettings(
    Topics topics,
    Map<String, String> properties,
    int replication,
    @Nullable KafkaFigures figures) {
  /** The default: one broker may be lost. */
  public static final int DEFAULT_REPLICATION = 3;

  private static final String REPORTERS = "metric.reporters";

  public KafkaSettings {
    properties = Map.copyOf(properties);
    if (properties.getOrDefault("bootstrap.servers", "").isBlank()) {
      throw new IllegalArgumentException("kafka.bootstrap.servers is not set");
    }
    if (replication < 1 || replication > Short.MAX_VALUE) {
      throw new IllegalArgumentException("topics.replication " + replication + " must be above 0");
    }
  }

  /** Settings of clients whose figures are not read. */
  public KafkaSettings(Topics topics, Map<String, String> properties, int replication) {
    this(topics, properties, replication, null);
  }

  /** Settings for a single broker, without replicas: the embedded one, and tests'. */
  public KafkaSettings(Topics topics, Map<String, String> properties) {
    this(topics, properties, 1);
  }

  /** Settings with only an address, for tests and the embedded broker. */
  public static KafkaSettings of(String bootstrapServers) {
    return new KafkaSettings(Topics.DEFAULT, Map.of("bootstrap.servers", bootstrapServers));
  }

  /** The same settings; every client made with them shows its figures here. */
  public KafkaSettings shownBy(KafkaFigures shown) {
    return new KafkaSettings(topics, properties, replication, shown);
  }

  /** Without the properties: some are secrets. */
  @Override
  public String toString() {
    return "KafkaSettings[" + topics.prefix() + " at " + properties.get("bootstrap.servers") + "]";
  }

  /** Client properties: these defaults, overridden by the configuration. */
  public Map<String, Object> with(Map<String, ?> defaults) {
    var all = new HashMap<String, Object>(defaults);
    all.putAll(properties);
    if (figures != null) {
      String ours = KafkaFigures.Reporter.class.getName();
      all.merge(REPORTERS, ours, (theirs, own) -> theirs.equals("") ? own : theirs + "," + own);
      all.put(KafkaFigures.Reporter.FIGURES, figures);
    }
    return all;
  }
}
