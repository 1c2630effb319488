package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.testkit.KafkaFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** What a producer has committed to its topics; each call reads on. One thread. */
final class CommittedLog implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final KafkaConsumer<String, byte[]> consumer;
  private final List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();

  CommittedLog(KafkaFixture kafka) {
    // A fetch without a record to return, for example at the end of a transaction, waits half a
    // second.
    consumer = kafka.clients("test").consumer("committed", Map.of("fetch.max.wait.ms", 10));
    consumer.assign(
        Stream.of(
                kafka.topics().workItems(),
                kafka.topics().pollState(),
                kafka.topics().sessionEvents(),
                kafka.topics().deadLetters())
            .flatMap(topic -> consumer.partitionsFor(topic).stream())
            .map(info -> new TopicPartition(info.topic(), info.partition()))
            .toList());
    consumer.seekToBeginning(consumer.assignment());
  }

  /** All records of a topic that are committed now, oldest first within a key. */
  List<ConsumerRecord<String, byte[]>> of(String topic) {
    Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (ends.entrySet().stream()
        .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
      assertThat(System.nanoTime()).as("reading takes longer than " + LIMIT).isLessThan(deadline);
      consumer.poll(Duration.ofMillis(10)).forEach(records::add);
    }
    return records.stream().filter(record -> record.topic().equals(topic)).toList();
  }

  @Override
  public void close() {
    consumer.close();
  }
}
