package dev.flyball.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Scope;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class KafkaFixtureIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @Test
  void writesAndReadsRecordsOfOurTopics() {
    KAFKA.provision();
    String ledger = KAFKA.topics().sessionLedger();
    var cap = new LedgerEntry.Cap(Scope.GLOBAL, 4, -1, "alice", "test");
    KAFKA.produce(ledger, "-", cap);
    KAFKA.produceRaw(ledger, "-", "not json".getBytes(StandardCharsets.UTF_8));

    var read = KAFKA.awaitRecords(ledger, 2, record -> true);

    assertThat(EventHeaders.text(read.getFirst().headers(), "schema")).isEqualTo("ledger-entry/1");
    assertThat(KafkaFixture.text(read.getLast().value())).isEqualTo("not json");
  }
}
