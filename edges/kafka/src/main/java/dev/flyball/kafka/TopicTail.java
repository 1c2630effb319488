package dev.flyball.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Partitions of one topic, read from their beginning to the end that they have, and then as they
 * grow. The caller polls, closes the consumer and commits nothing. One thread.
 */
public record TopicTail(Consumer<String, byte[]> consumer, List<TopicPartition> partitions) {
  private static final Duration STEP = Duration.ofMillis(200);

  /** Assigns these partitions to the consumer, and begins at their beginning. */
  public TopicTail {
    partitions = List.copyOf(partitions);
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /** Begins at the beginning of every partition of a topic; it has none if it does not exist. */
  public static TopicTail of(Consumer<String, byte[]> consumer, String topic) {
    return new TopicTail(
        consumer,
        consumer.partitionsFor(topic).stream()
            .map(each -> new TopicPartition(topic, each.partition()))
            .toList());
  }

  /** The next offset by partition; it includes control records of transactions. */
  public Map<Integer, Long> positions() {
    return partitions.stream()
        .collect(Collectors.toMap(TopicPartition::partition, consumer::position));
  }

  /** The ends now. A reader of committed records ends where the first open transaction begins. */
  public Map<TopicPartition, Long> ends() {
    return consumer.endOffsets(partitions);
  }

  /** Whether every record below these ends was returned. */
  public boolean reached(Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  /**
   * Reads to the ends as they are now.
   *
   * @param silence how long nothing may come before {@code goesOn} is called; it is called again
   *     after as long a time
   * @param goesOn whether to wait longer; it may throw
   */
  public void readToEnd(
      java.util.function.Consumer<ConsumerRecord<String, byte[]>> reader,
      Duration silence,
      BooleanSupplier goesOn) {
    Map<TopicPartition, Long> ends = ends();
    long heard = System.nanoTime();
    while (!reached(ends)) {
      // If the broker has become unreachable, a poll returns nothing and does not fail.
      var records = consumer.poll(STEP);
      records.forEach(reader);
      if (!records.isEmpty()) {
        heard = System.nanoTime();
      } else if (System.nanoTime() - heard > silence.toNanos()) {
        if (!goesOn.getAsBoolean()) {
          return;
        }
        heard = System.nanoTime();
      }
    }
  }
}
