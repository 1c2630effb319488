package dev.flyball.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
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
   * Reads to the ends as they are now. It gives up after a silence, because a partition without a
   * leader or without a broker returns nothing and does not fail.
   *
   * @param silence how long nothing may come
   * @return whether the ends were reached
   * @throws org.apache.kafka.common.errors.TimeoutException if the ends or a position are not
   *     answered in the time that the consumer gives to one call
   */
  public boolean readToEnd(
      java.util.function.Consumer<ConsumerRecord<String, byte[]>> reader, Duration silence) {
    return readTo(ends(), reader, silence);
  }

  /** The same up to these ends. */
  public boolean readTo(
      Map<TopicPartition, Long> ends,
      java.util.function.Consumer<ConsumerRecord<String, byte[]>> reader,
      Duration silence) {
    long heard = System.nanoTime();
    while (!reached(ends)) {
      var records = consumer.poll(STEP);
      records.forEach(reader);
      if (!records.isEmpty()) {
        heard = System.nanoTime();
      } else if (System.nanoTime() - heard > silence.toNanos()) {
        return false;
      }
    }
    return true;
  }
}
