package dev.flyball.producer.publish;

import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Where partitions end by now, what is in open transactions included. A reader of committed records
 * is told the last stable offset instead, and behind that may lie records that are committed: those
 * of every transaction that ended after another one began which is still open. Several threads may
 * ask, one at a time.
 */
final class LogEnd implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(15);

  private final KafkaConsumer<String, byte[]> consumer;

  LogEnd(KafkaClients clients) {
    this.consumer = clients.consumer("log-end", Map.of("isolation.level", "read_uncommitted"));
  }

  /**
   * The next offset of each partition.
   *
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  synchronized Map<TopicPartition, Long> of(Collection<TopicPartition> partitions) {
    return Map.copyOf(consumer.endOffsets(partitions, LIMIT));
  }

  @Override
  public synchronized void close() {
    consumer.close();
  }
}
