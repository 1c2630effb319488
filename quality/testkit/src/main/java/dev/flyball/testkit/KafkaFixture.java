package dev.flyball.testkit;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
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

  /** By topic; guarded by this, for a wait asks on another thread. */
  private final Map<String, Reader> readers = new HashMap<>();

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
    readers.values().forEach(Reader::close);
    // Classes that extend one share its fixture.
    readers.clear();
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
  public synchronized List<ConsumerRecord<String, byte[]>> records(String topic) {
    return readers.computeIfAbsent(topic, any -> new Reader(clients("test"), topic)).records();
  }

  /** All committed records of a topic that these clients read, partition by partition. */
  public static List<ConsumerRecord<String, byte[]>> records(KafkaClients clients, String topic) {
    try (var reader = new Reader(clients, topic)) {
      return reader.records();
    }
  }

  /** Keeps what it has read: tests ask often, and a new consumer costs more than its answer. */
  private static final class Reader implements AutoCloseable {
    private final KafkaConsumer<String, byte[]> consumer;
    private final Admin admin;
    private final Map<TopicPartition, List<ConsumerRecord<String, byte[]>>> found =
        new LinkedHashMap<>();

    Reader(KafkaClients clients, String topic) {
      consumer = clients.consumer("fixture-read");
      admin = clients.admin("fixture-read");
      consumer
          .partitionsFor(topic)
          .forEach(it -> found.put(new TopicPartition(topic, it.partition()), new ArrayList<>()));
      consumer.assign(found.keySet());
      consumer.seekToBeginning(found.keySet());
    }

    List<ConsumerRecord<String, byte[]>> records() {
      // A commit returns before its markers are in the partitions; until then the end is before it.
      await().pollDelay(Duration.ZERO).ignoreExceptions().until(() -> ending().get().isEmpty());
      Map<TopicPartition, Long> ends = consumer.endOffsets(found.keySet());
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        var polled = consumer.poll(Duration.ofMillis(200));
        found.forEach((partition, records) -> records.addAll(polled.records(partition)));
      }
      return found.values().stream().flatMap(List::stream).toList();
    }

    private KafkaFuture<Collection<TransactionListing>> ending() {
      var options = new ListTransactionsOptions();
      options.filterStates(
          List.of(TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT));
      return admin.listTransactions(options).all();
    }

    @Override
    public void close() {
      consumer.close();
      admin.close();
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

  /** Awaitility with a limit that is long enough for a loaded machine. */
  public static ConditionFactory await() {
    return Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50));
  }
}
