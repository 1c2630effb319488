package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.testkit.KafkaFixture;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the keys of the live screen write to the ledger. */
@Tag("long")
final class TopOperatorIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @Test
  void theCapChangesByOneFromWhatTheLedgerHasAndNeverBelowZero() {
    KAFKA.provision();
    KAFKA.produce(KAFKA.topics().sessionLedger(), "-", new LedgerEntry.Init(1, 45_000, List.of()));
    var operator = new TopOperator(() -> KAFKA.clients("operator"), "ann");

    assertThat(operator.act(new TopAction.Cap(1))).endsWith(" 2");
    assertThat(operator.act(new TopAction.Cap(-1))).endsWith(" 1");
    assertThat(operator.act(new TopAction.Cap(-1))).endsWith(" 0");
    assertThat(operator.act(new TopAction.Cap(-1))).endsWith(" 0");
    assertThat(KAFKA.values(KAFKA.topics().sessionLedger(), LedgerEntry.class))
        .filteredOn(LedgerEntry.Cap.class::isInstance)
        .extracting(entry -> ((LedgerEntry.Cap) entry).who())
        .hasSize(4)
        .containsOnly("ann");
  }
}
