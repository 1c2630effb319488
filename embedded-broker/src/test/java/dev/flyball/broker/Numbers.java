package dev.flyball.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;

/** A topic of numbers, so that a gap or a repeat shows. */
final class Numbers {
  static final String TOPIC = "numbers";

  private Numbers() {}

  static void createTopic(String bootstrap) {
    createTopic(bootstrap, TOPIC);
  }

  static void createTopic(String bootstrap, String topic) {
    try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  static KafkaProducer<Long, Long> producer(String bootstrap) {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", bootstrap, "acks", "all"),
        new LongSerializer(),
        new LongSerializer());
  }

  static void produce(String bootstrap, long from, long to) {
    try (var producer = producer(bootstrap)) {
      for (long n = from; n < to; n++) {
        var _ = producer.send(new ProducerRecord<>(TOPIC, n, n));
      }
    }
  }

  static List<Long> readAll(String bootstrap) {
    return read(bootstrap, TOPIC, "read_uncommitted");
  }

  static List<Long> committed(String bootstrap, String topic) {
    return read(bootstrap, topic, "read_committed");
  }

  /** Where such a reader's log ends: that of committed records at the oldest open transaction. */
  static long end(String bootstrap, String topic, String isolation) {
    var partition = new TopicPartition(topic, 0);
    try (var consumer = consumer(bootstrap, isolation)) {
      return consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    }
  }

  private static List<Long> read(String bootstrap, String topic, String isolation) {
    var partition = new TopicPartition(topic, 0);
    var found = new ArrayList<Long>();
    try (var consumer = consumer(bootstrap, isolation)) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
      while (consumer.position(partition) < end) {
        consumer.poll(Duration.ofSeconds(1)).forEach(record -> found.add(record.value()));
      }
    }
    return found;
  }

  private static KafkaConsumer<Long, Long> consumer(String bootstrap, String isolation) {
    return new KafkaConsumer<>(
        Map.<String, Object>of("bootstrap.servers", bootstrap, "isolation.level", isolation),
        new LongDeserializer(),
        new LongDeserializer());
  }
}
