package dev.flyball.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
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

  static void createTopic(Map<String, String> client) {
    createTopic(client, TOPIC);
  }

  static void createTopic(Map<String, String> client, String topic) {
    try (var admin = Admin.create(new HashMap<String, Object>(client))) {
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  static KafkaProducer<Long, Long> producer(Map<String, String> client) {
    return new KafkaProducer<>(
        with(client, Map.of("acks", "all")), new LongSerializer(), new LongSerializer());
  }

  static void produce(Map<String, String> client, long from, long to) {
    try (var producer = producer(client)) {
      for (long n = from; n < to; n++) {
        var _ = producer.send(new ProducerRecord<>(TOPIC, n, n));
      }
    }
  }

  static List<Long> readAll(Map<String, String> client) {
    return read(client, TOPIC, "read_uncommitted");
  }

  static List<Long> committed(Map<String, String> client, String topic) {
    return read(client, topic, "read_committed");
  }

  /** Where such a reader's log ends: that of committed records at the oldest open transaction. */
  static long end(Map<String, String> client, String topic, String isolation) {
    var partition = new TopicPartition(topic, 0);
    try (var consumer = consumer(client, isolation)) {
      return consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    }
  }

  private static List<Long> read(Map<String, String> client, String topic, String isolation) {
    var partition = new TopicPartition(topic, 0);
    var found = new ArrayList<Long>();
    try (var consumer = consumer(client, isolation)) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
      while (consumer.position(partition) < end) {
        consumer.poll(Duration.ofSeconds(1)).forEach(record -> found.add(record.value()));
      }
    }
    return found;
  }

  private static KafkaConsumer<Long, Long> consumer(Map<String, String> client, String isolation) {
    return new KafkaConsumer<>(
        with(client, Map.of("isolation.level", isolation)),
        new LongDeserializer(),
        new LongDeserializer());
  }

  /** These properties and more. */
  static Map<String, Object> with(Map<String, String> client, Map<String, String> more) {
    var all = new HashMap<String, Object>(client);
    all.putAll(more);
    return all;
  }
}
