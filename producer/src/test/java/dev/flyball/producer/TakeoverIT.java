package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("S2-4: a source that changes hands publishes each change once")
class TakeoverIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();
  private final Instant now = Instant.now();

  @TempDir Path folder;
  private final String tenant = "acme";
  private final DeltaTracker tracker = new DeltaTracker(tenant, "web");

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @Test
  @DisplayName("what was published behind another source's open transaction is not published again")
  void anOpenTransactionHidesNothing() throws Exception {
    var other = KAFKA.clients("o").producer("o", staysOpen(tenant + "/other"));
    try (other) {
      other.initTransactions();
      other.beginTransaction();
      for (int partition = 0; partition < 6; partition++) {
        String topic = KAFKA.topics().workItems();
        var _ =
            other.send(new ProducerRecord<>(topic, partition, tenant + "/other/1", new byte[1]));
      }
      other.flush();
      tracker.put("1", "one", now.minusSeconds(600));
      try (var first = new Producer("first")) {
        assertThat(first.poll()).isInstanceOf(PollReport.Finished.class);
      }

      try (var second = new Producer("second")) {
        assertThat(second.poll())
            .isInstanceOfSatisfying(
                PollReport.Skipped.class,
                skipped -> assertThat(skipped.reason()).contains(KAFKA.topics().workItems() + "-"));
        other.abortTransaction();
        var report =
            KafkaFixture.await().until(second::poll, PollReport.Finished.class::isInstance);
        assertThat(((PollReport.Finished) report).published()).isEmpty();
      }
    }
  }

  /**
   * Settings of a transaction that outlasts the test on any machine: the broker ends others after a
   * minute.
   */
  private static Map<String, Object> staysOpen(String transaction) {
    return Map.of("transactional.id", transaction, "transaction.timeout.ms", "600000");
  }

  /** One of several producers, with a separate data folder. */
  private final class Producer implements AutoCloseable {
    private final ProducerApp app;

    Producer(String data) {
      var source =
          new SourceConfig.Jsonl(
              new SourceConfig.Identity(tenant, "web", Duration.ofSeconds(1)),
              SourceRules.DEFAULT,
              Path.of("-"));
      var config = ProducerConfig.defaults(folder.resolve(data), List.of(source));
      app =
          new ProducerApp(
              config, KAFKA.settings(), new Telemetry(), false, (any, clock) -> tracker);
      app.start();
    }

    PollReport poll() {
      return app.pollNow(tenant + "/web");
    }

    @Override
    public void close() {
      app.stop();
    }
  }
}
