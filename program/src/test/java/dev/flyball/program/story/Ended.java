package dev.flyball.program.story;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.topic.Topics;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Counts terminal events as they come, for tests in which reading all of them again takes long. */
final class Ended implements AutoCloseable {
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Map<EventType, Integer> counts = new EnumMap<>(EventType.class);

  Ended(String bootstrapServers) {
    var properties = new Properties();
    properties.put("bootstrap.servers", bootstrapServers);
    properties.put("isolation.level", "read_committed");
    this.consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    String topic = Topics.DEFAULT.sessionEvents();
    var partitions =
        consumer.partitionsFor(topic).stream()
            .map(info -> new TopicPartition(topic, info.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /** How many sessions have a terminal event. */
  int sessions() {
    for (var record : consumer.poll(Duration.ofMillis(50))) {
      EventHeaders.typeOf(record.headers())
          .filter(EventType::terminal)
          .ifPresent(type -> counts.merge(type, 1, Integer::sum));
    }
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** How many of them ended so, when they were last counted. */
  int count(EventType type) {
    return counts.getOrDefault(type, 0);
  }

  @Override
  public void close() {
    consumer.close();
  }
}
