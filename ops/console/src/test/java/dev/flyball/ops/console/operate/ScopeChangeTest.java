package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.BrokerUnreachable;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.operate.CommandSender.By;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an operator changes, before Kafka has it. */
final class ScopeChangeTest {
  private static final Limits BOTH = new Limits(20_000_000L, 5_000L);

  @Test
  void aResumeOfWhatIsNotPausedSaysSo() {
    var resume = ScopeChange.resume("tenant:acme");

    assertThat(resume.unneeded().apply(LedgerState.empty())).hasValue("tenant:acme is not paused");
    var over = new LedgerEntry.Pause("tenant:acme", Instant.EPOCH, -1, "ann", "");
    assertThat(resume.unneeded().apply(LedgerState.empty().fold(over, 0, Instant.EPOCH).state()))
        .as("a pause that is over")
        .hasValue("tenant:acme is not paused");
  }

  @Test
  @Timeout(20)
  void aChangeFailsSoonWhileNoBrokerAnswers() {
    var away = new KafkaSettings(Topics.DEFAULT, Map.of("bootstrap.servers", "127.0.0.1:1"));
    var entries = new OperatorEntries(new KafkaClients(away, "operator"), Duration.ofMillis(300));

    assertThatThrownBy(() -> entries.change(ScopeChange.resume("global"), new By("ann", "why")))
        .isInstanceOf(BrokerUnreachable.class);
  }

  @Test
  void whoAndWhyAreOneLine() {
    assertThat(new By("ann\r\n", "release\n paused by \u001b[2Jbob"))
        .isEqualTo(new By("ann", "release paused by [2Jbob"));
  }

  @ParameterizedTest
  @CsvSource({
    "40,, 40000000, 5000",
    ", 7, 20000000, 7",
    "none,,, 5000",
    "0.50, none, 500000,",
  })
  void aLimitThatIsNotNamedStaysAndNoneRemovesIt(
      String usd, String tokens, Long micros, Long left) {
    var before = new LedgerEntry.Budget("global", BOTH, -1, "ann", "");
    LedgerState state = LedgerState.empty().fold(before, 0, Instant.EPOCH).state();

    assertThat(ScopeChange.budget("global", usd, tokens).entry(state, new By("ann", "")))
        .isEqualTo(new LedgerEntry.Budget("global", new Limits(micros, left), 0, "ann", ""));
  }

  @ParameterizedTest
  @CsvSource({
    "abc,",
    "-1,",
    "1e3,",
    "1e1000000000,",
    ", 1e1000000000",
    "99999999999999999,",
    ", 1.5",
    ", -1",
    ", many"
  })
  void whatIsNoLimitIsRejected(String usd, String tokens) {
    assertThatThrownBy(() -> ScopeChange.budget("global", usd, tokens))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
