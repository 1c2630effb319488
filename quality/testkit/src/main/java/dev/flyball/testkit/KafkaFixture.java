package dev.flyball.testkit;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real broker for a test class: {@code @RegisterExtension static final KafkaFixture KAFKA = new
 * KafkaFixture();}. One broker serves the whole JVM; every class has separate topics under a random
 * prefix.
 */
public final class KafkaFixture implements BeforeAllCallback, AfterAllCallback {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Topics topics;
  private boolean provisioned;
  private @Nullable SharedBroker broker;
  private @Nullable KafkaProducer<String, byte[]> producer;

  /** With topics under a random prefix. */
  public KafkaFixture() {
    this(new Topics("t" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36) + "."));
  }

  /** With these topics. */
  public KafkaFixture(Topics topics) {
    this.topics = topics;
  }

  /** With topics under a random prefix, which are all there before the first test. */
  public static KafkaFixture provisioned() {
    var fixture = new KafkaFixture();
    fixture.provisioned = true;
    return fixture;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    broker = SharedBroker.of(context);
    producer = clients("test").producer("fixture");
    if (provisioned) {
      provision();
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (producer != null) {
      producer.close(Duration.ofSeconds(5));
    }
  }

  /** The broker's address. */
  public String bootstrapServers() {
    if (broker == null) {
      throw new IllegalStateException("KafkaFixture needs @RegisterExtension on a static field");
    }
    return broker.bootstrapServers();
  }

  /** This class's topics. */
  public Topics topics() {
    return topics;
  }

  /** The settings with which an app reaches them. */
  public KafkaSettings settings() {
    return new KafkaSettings(topics, Map.of("bootstrap.servers", bootstrapServers()));
  }

  /** Clients of a role. */
  public KafkaClients clients(String role) {
    return new KafkaClients(settings(), role);
  }

  /** Creates all of Flyball's topics. */
  public void provision() {
    new TopicProvisioner(clients("test")).provision();
  }

  /** Writes a record as Flyball's apps do: JSON, with its topic's schema header. */
  public RecordMetadata produce(String topic, String key, Object value) {
    return send(
        new ProducerRecord<>(
            topic,
            null,
            key,
            RecordJson.bytes(value),
            EventHeaders.schema(topics.spec(topic).schema())));
  }

  /** Writes a lifecycle event under its subject. */
  public RecordMetadata produce(LifecycleEvent event) {
    return send(
        new ProducerRecord<>(
            topics.sessionEvents(),
            null,
            event.subject(),
            RecordJson.bytes(event.data()),
            EventHeaders.of(event)));
  }

  /** Writes these bytes, readable or not; null is a tombstone. */
  public RecordMetadata produceRaw(String topic, String key, byte @Nullable [] value) {
    return send(new ProducerRecord<>(topic, key, value));
  }

  /** Writes a record and waits for its acknowledgement. */
  public RecordMetadata send(ProducerRecord<String, byte[]> record) {
    if (producer == null) {
      throw new IllegalStateException("KafkaFixture needs @RegisterExtension on a static field");
    }
    try {
      return producer.send(record).get();
    } catch (ExecutionException e) {
      throw new AssertionError("cannot write to " + record.topic(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while writing to " + record.topic(), e);
    }
  }

  /** All committed records of a topic, partition by partition. */
  public List<ConsumerRecord<String, byte[]>> records(String topic) {
    return records(clients("test"), topic);
  }

  /** All committed records of a topic that these clients read, partition by partition. */
  public static List<ConsumerRecord<String, byte[]>> records(KafkaClients clients, String topic) {
    try (KafkaConsumer<String, byte[]> consumer = clients.consumer("fixture-read")) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      var found = new ArrayList<ConsumerRecord<String, byte[]>>();
      while (partitions.stream()
          .anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
        consumer.poll(Duration.ofMillis(200)).forEach(found::add);
      }
      return found;
    }
  }

  /** The values of a topic's records, without tombstones. */
  public <T> List<T> values(String topic, Class<T> type) {
    return records(topic).stream()
        .filter(record -> record.value() != null)
        .map(record -> RecordJson.read(record.value(), type))
        .toList();
  }

  /** The newest value of a key, as after compaction. */
  public <T> Optional<T> newest(String topic, String key, Class<T> type) {
    return records(topic).stream()
        .filter(record -> key.equals(record.key()))
        .reduce((older, newer) -> newer)
        .filter(record -> record.value() != null)
        .map(record -> RecordJson.read(record.value(), type));
  }

  /** All lifecycle events, oldest first within a key. */
  public List<LifecycleEvent> events() {
    return records(topics.sessionEvents()).stream()
        .map(record -> EventHeaders.read(record.headers(), record.value()))
        .toList();
  }

  /** Waits until at least this many records satisfy the predicate, and returns those. */
  public List<ConsumerRecord<String, byte[]>> awaitRecords(
      String topic, int atLeast, Predicate<ConsumerRecord<String, byte[]>> which) {
    return await()
        .until(
            () -> records(topic).stream().filter(which).toList(), found -> found.size() >= atLeast);
  }

  /** Awaitility with a limit that is long enough for a loaded machine. */
  public static ConditionFactory await() {
    return Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50));
  }

  /** Bytes as text, for assertions. */
  public static String text(byte @Nullable [] value) {
    return value == null ? "null" : new String(value, StandardCharsets.UTF_8);
  }
}
