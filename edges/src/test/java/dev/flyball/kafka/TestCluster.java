package dev.flyball.kafka;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.broker.EmbeddedBroker;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * One broker for this module's tests, which cannot use the testkit (it depends on them). It ends
 * with the JVM.
 */
final class TestCluster {
  private static final AtomicInteger PREFIXES = new AtomicInteger();
  private static final EmbeddedBroker BROKER = start();

  private TestCluster() {}

  private static EmbeddedBroker start() {
    try {
      return EmbeddedBroker.start(
          BrokerConfig.in(Files.createTempDirectory("flyball-edge-")).opened());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Clients with topics that no other test has. */
  static KafkaClients clients() {
    var topics = new Topics("t" + PREFIXES.incrementAndGet() + ".");
    return new KafkaClients(
        new KafkaSettings(topics, Map.of("bootstrap.servers", BROKER.bootstrapServers())), "test");
  }

  /** Appends values as they are, bytes or records. */
  static void append(KafkaClients clients, String topic, Iterable<?> values) {
    try (KafkaProducer<String, byte[]> producer =
        clients.producer("append", Map.of("linger.ms", "20"))) {
      for (Object value : values) {
        byte[] bytes = value instanceof byte[] raw ? raw : RecordJson.bytes(value);
        var _ = producer.send(new ProducerRecord<>(topic, 0, "-", bytes));
      }
    }
  }

  static <T> T get(Future<T> future) {
    try {
      return future.get();
    } catch (ExecutionException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
