package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.Verdict;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("a triage call is booked to the budgets of its items' tenants, once")
final class BatchSpendTest {
  private static final Instant NOW = Instant.EPOCH;

  @Test
  void eachTenantPaysItsItemsSharesOnceHoweverOftenTheBatchIsPublished() {
    var batch =
        new CallJournal.Answered(
            "b7.1-T",
            9,
            List.of(
                entry("acme/a/1", 400, 7), entry("zeta/a/1", 300, 7), entry("acme/a/2", 300, 7)));
    LedgerState ledger = LedgerState.empty();
    for (int offset = 0; offset < 4; offset++) {
      ProducerRecord<String, byte[]> record =
          BatchSpend.records(batch, false, Topics.DEFAULT).get(offset % 2);
      assertThat(record.topic()).isEqualTo(Topics.DEFAULT.sessionLedger());
      assertThat(record.partition()).isZero();
      LedgerEntry spend = RecordJson.read(record.value(), LedgerEntry.class);
      ledger = ledger.fold(spend, offset, NOW).state();
    }
    assertThat(ledger.spentMicros("tenant:acme", NOW)).isEqualTo(700);
    assertThat(ledger.spentMicros("tenant:zeta", NOW)).isEqualTo(300);
    assertThat(ledger.spentMicros("global", NOW)).isEqualTo(1_000);
    assertThat(ledger.spentTokens("tenant:acme", NOW)).isEqualTo(14);
    assertThat(ledger.spentTokens("global", NOW)).isEqualTo(21);
  }

  @ParameterizedTest(name = "{0} micros, {1} tokens, held back {2}: booked {3}")
  @CsvSource({"0, 0, false, false", "0, 9, false, true", "0, 0, true, true"})
  @DisplayName("a call that cost nothing is booked for its tokens, or to end what is held back")
  void whatCostNothing(long micros, long tokens, boolean held, boolean booked) {
    var batch = new CallJournal.Answered("b7.1-T", 7, List.of(entry("acme/a/1", micros, tokens)));
    var spend = new LedgerEntry.Spend("acme", "b7.1-T/acme", micros, tokens);
    assertThat(spends(BatchSpend.records(batch, held, Topics.DEFAULT)))
        .isEqualTo(booked ? List.of(spend) : List.of());
  }

  @Test
  void aCallWithoutVerdictsIsBookedByItsIdToTheTenantsOfItsItems() {
    assertThat(
            spends(
                BatchSpend.unanswered(
                    "b7.1-T", List.of("a", "z", "a"), 90, 5, false, Topics.DEFAULT)))
        .containsExactly(
            new LedgerEntry.Spend("a", "b7.1-T/a", 60, 3),
            new LedgerEntry.Spend("z", "b7.1-T/z", 30, 2));
    assertThat(BatchSpend.unanswered("b7.1-T", List.of("a"), 0, 0, false, Topics.DEFAULT))
        .isEmpty();
  }

  private static List<LedgerEntry.Spend> spends(List<ProducerRecord<String, byte[]>> records) {
    return records.stream()
        .map(each -> RecordJson.read(each.value(), LedgerEntry.Spend.class))
        .toList();
  }

  private static CallJournal.Entry entry(String key, long micros, long tokens) {
    return new CallJournal.Entry(
        key,
        null,
        new Verdict("t", false, 1, List.of(), 1, "r", "m", "b7.1-T", micros, null),
        tokens);
  }
}
