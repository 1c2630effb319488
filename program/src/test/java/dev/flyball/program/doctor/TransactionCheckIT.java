package dev.flyball.program.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.testkit.KafkaFixture;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What doctor says of transactions, against a real broker. */
@Tag("long")
final class TransactionCheckIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();

  private final KafkaClients clients = KAFKA.clients("doctor");

  @Test
  @DisplayName("a transaction that stays open is named with its topic, its offset and the fix")
  void oneThatStaysOpenIsNamed() {
    try (var producer = begun("stays")) {
      assertThat(KafkaCheck.of(clients).findings().getLast())
          .satisfies(finding -> {
            assertThat(finding.state()).isEqualTo(Finding.State.DEGRADED);
            assertThat(finding.found())
                .contains("open for more than 5 s in " + KAFKA.topics().workItems() + "-0")
                .contains("since offset ");
            assertThat(finding.fix()).contains("docs/troubleshooting.md");
          });
      producer.abortTransaction();
    }
    assertThat(KafkaCheck.of(clients).findings().getLast())
        .as("once it ended")
        .extracting(Finding::check, Finding::state)
        .containsExactly("transactions", Finding.State.OK);
  }

  private KafkaProducer<String, byte[]> begun(String id) {
    var producer = clients.producer("open", Map.of("transactional.id", id));
    producer.initTransactions();
    producer.beginTransaction();
    var _ =
        producer.send(
            new ProducerRecord<>(KAFKA.topics().workItems(), 0, "key", new byte[] {'{', '}'}));
    producer.flush();
    return producer;
  }
}
