package dev.flyball.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.LongSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A broker that is killed in the middle of commits ends those transactions at its next start, in
 * all their partitions (INV-7, S0-46): otherwise readers of committed records stand still for ever.
 */
@Tag("long")
class KilledTransactionsIT {
  /** So many that at any moment some transaction is decided and not yet ended everywhere. */
  private static final int WRITERS = 8;

  /** {@code -Dtransactions.kills=4} for more. */
  private static final int KILLS = Integer.getInteger("transactions.kills", 2);

  private static final int COMMITS_BEFORE_A_KILL = 200;
  private static final List<String> TOPICS = List.of("left", "right");

  @TempDir Path dir;

  @Test
  void everyTransactionEndsAlikeInAllItsPartitions() throws Exception {
    Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
    for (int kill = 0; kill < KILLS; kill++) {
      commitUntilKilled(kill, acknowledged);
    }
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(dir.resolve("data")))) {
      Map<String, String> bootstrap = broker.clientProperties();
      for (int writer = 0; writer < WRITERS; writer++) {
        try (var next = producer(bootstrap, writer)) {
          next.initTransactions();
        }
      }
      for (String topic : TOPICS) {
        Awaitility.await(topic + " has no open transaction")
            .atMost(Duration.ofSeconds(20))
            .untilAsserted(() ->
                assertThat(Numbers.end(bootstrap, topic, "read_committed"))
                    .isEqualTo(Numbers.end(bootstrap, topic, "read_uncommitted")));
      }
      List<Long> left = Numbers.committed(bootstrap, "left");
      assertThat(left).doesNotHaveDuplicates();
      assertThat(Numbers.committed(bootstrap, "right"))
          .as("the same transactions")
          .containsExactlyInAnyOrderElementsOf(left);
      assertThat(left).containsAll(acknowledged);
    }
  }

  private void commitUntilKilled(int round, Set<Long> acknowledged) throws Exception {
    Path ready = dir.resolve("ready-" + round);
    Process child = BrokerChild.start(dir.resolve("data"), ready);
    try {
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(ready));
      Map<String, String> bootstrap =
          BrokerSecret.clientProperties(dir.resolve("data")).orElseThrow();
      if (round == 0) {
        TOPICS.forEach(topic -> Numbers.createTopic(bootstrap, topic));
      }
      int before = acknowledged.size();
      var writers = new ArrayList<Thread>();
      for (long writer = 0; writer < WRITERS; writer++) {
        long number = writer;
        writers.add(Thread.ofPlatform().start(() -> write(bootstrap, round, number, acknowledged)));
      }
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> acknowledged.size() - before >= COMMITS_BEFORE_A_KILL);
      child.destroyForcibly();
      writers.forEach(Thread::interrupt);
      for (Thread writer : writers) {
        writer.join();
      }
    } finally {
      child.destroyForcibly();
    }
    assertThat(child.waitFor(20, TimeUnit.SECONDS)).isTrue();
  }

  /** Commits number after number to both topics until the broker is gone. */
  private static void write(
      Map<String, String> bootstrap, int round, long writer, Set<Long> acknowledged) {
    var producer = producer(bootstrap, writer);
    try {
      producer.initTransactions();
      for (long n = 0; ; n++) {
        long number = ((long) round * WRITERS + writer) * 1_000_000L + n;
        producer.beginTransaction();
        for (String topic : TOPICS) {
          var _ = producer.send(new ProducerRecord<>(topic, number, number));
        }
        producer.commitTransaction();
        acknowledged.add(number);
      }
    } catch (KafkaException e) {
      // Who killed the broker does not wait until that is noticed.
      Thread.interrupted();
    } finally {
      producer.close(Duration.ZERO);
    }
  }

  private static KafkaProducer<Long, Long> producer(Map<String, String> bootstrap, long writer) {
    return new KafkaProducer<>(
        Numbers.with(
            bootstrap,
            Map.of(
                "transactional.id",
                "writer-" + writer,
                "max.block.ms",
                "20000",
                "request.timeout.ms",
                "10000",
                "delivery.timeout.ms",
                "20000")),
        new LongSerializer(),
        new LongSerializer());
  }
}
