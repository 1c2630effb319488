package dev.flyball.program.story;

import dev.flyball.contract.topic.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Follows all topics from their ends, uncommitted records too: what a fault is timed by. */
record Tail(KafkaConsumer<byte[], byte[]> consumer) implements AutoCloseable {
  /** Starts at the end that every topic has now. */
  static Tail atEnd(String bootstrapServers, List<String> topics) {
    var properties = new Properties();
    properties.put("bootstrap.servers", bootstrapServers);
    properties.put("fetch.max.wait.ms", "20");
    properties.put("reconnect.backoff.max.ms", "100");
    var consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    var partitions =
        topics.stream()
            .flatMap(topic ->
                consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition())))
            .toList();
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    partitions.forEach(consumer::position);
    return new Tail(consumer);
  }

  /** Waits for a record; false if none came in time or the condition to go on waiting ended. */
  boolean await(
      Predicate<ConsumerRecord<byte[], byte[]>> wanted,
      Duration limit,
      java.util.function.BooleanSupplier goOn) {
    long end = System.nanoTime() + limit.toNanos();
    while (System.nanoTime() < end && goOn.getAsBoolean()) {
      for (var record : consumer.poll(Duration.ofMillis(20))) {
        if (wanted.test(record)) {
          return true;
        }
      }
    }
    return false;
  }

  /** The topics that a session's path goes through. */
  static List<String> path() {
    Topics topics = Topics.DEFAULT;
    return List.of(
        topics.workItems(),
        topics.triageRequests(),
        topics.triageVerdicts(),
        topics.sessionRequests(),
        topics.sessionLedger(),
        topics.sessionEvents());
  }

  @Override
  public void close() {
    consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ofMillis(200)));
  }
}
