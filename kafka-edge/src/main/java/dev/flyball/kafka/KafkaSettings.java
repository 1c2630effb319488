package dev.flyball.kafka;

import dev.flyball.contract.topic.Topics;
import java.util.HashMap;
import java.util.Map;

/**
 * How a role reaches Kafka.
 *
 * @param topics the names
 * @param properties every Kafka property of this role, {@code bootstrap.servers} among them
 */
public record KafkaSettings(Topics topics, Map<String, String> properties) {

  public KafkaSettings {
    properties = Map.copyOf(properties);
    if (properties.getOrDefault("bootstrap.servers", "").isBlank()) {
      throw new IllegalArgumentException("kafka.bootstrap.servers is not set");
    }
  }

  /** Settings with only an address, for tests and the embedded broker. */
  public static KafkaSettings of(String bootstrapServers) {
    return new KafkaSettings(Topics.DEFAULT, Map.of("bootstrap.servers", bootstrapServers));
  }

  /** Client properties: these defaults, then what was configured, which wins. */
  public Map<String, Object> with(Map<String, ?> defaults) {
    var all = new HashMap<String, Object>(defaults);
    all.putAll(properties);
    return all;
  }
}
