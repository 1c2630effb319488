package dev.flyball.program.roles;

import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/**
 * How many records topics hold at most, by their offsets; compacted and transactional ones hold
 * fewer.
 */
public final class TopicSizes {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private TopicSizes() {}

  /** Records by topic, of every existing topic. */
  public static Map<String, Long> of(KafkaClients clients) {
    var _ = clients.reach(LIMIT);
    try (Consumer<String, byte[]> consumer = clients.consumer("sizes", Map.of())) {
      Map<String, List<PartitionInfo>> all = consumer.listTopics();
      var partitions = new ArrayList<TopicPartition>();
      all.forEach((topic, parts) ->
          parts.forEach(it -> partitions.add(new TopicPartition(topic, it.partition()))));
      Map<TopicPartition, Long> first = consumer.beginningOffsets(partitions);
      var sizes = new HashMap<String, Long>();
      consumer
          .endOffsets(partitions)
          .forEach((partition, end) ->
              sizes.merge(partition.topic(), end - first.getOrDefault(partition, 0L), Long::sum));
      return sizes;
    }
  }
}
