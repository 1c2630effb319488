package dev.flyball.producer.publish;

import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Offsets of a log that include records of open transactions. A reader of committed records sees
 * nothing after the last stable offset. Committed records may lie there: those of every transaction
 * that ended after another one began that is still open. Several threads may ask, one at a time.
 */
final class LogOffsets implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(15);

  private final Consumer<String, byte[]> consumer;

  LogOffsets(KafkaClients clients) {
    this(clients.consumer("log-offsets", Map.of("isolation.level", "read_uncommitted")));
  }

  LogOffsets(Consumer<String, byte[]> consumer) {
    this.consumer = consumer;
  }

  /**
   * The current end of each partition.
   *
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  synchronized Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions) {
    return Map.copyOf(consumer.endOffsets(partitions, LIMIT));
  }

  /**
   * Each partition's first record of this time or later; its end where there is none.
   *
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  synchronized Map<TopicPartition, Long> since(Instant time, Map<TopicPartition, Long> ends) {
    var times = new HashMap<TopicPartition, Long>();
    ends.keySet().forEach(partition -> times.put(partition, Math.max(0, time.toEpochMilli())));
    var offsets = new HashMap<>(ends);
    consumer
        .offsetsForTimes(times, LIMIT)
        .forEach((partition, found) -> {
          if (found != null) {
            offsets.put(partition, found.offset());
          }
        });
    return offsets;
  }

  @Override
  public synchronized void close() {
    consumer.close();
  }
}
