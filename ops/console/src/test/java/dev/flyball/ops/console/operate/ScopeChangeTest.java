package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.BrokerUnreachable;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.operate.CommandSender.By;
import dev.flyball.ops.console.operate.Outcome.Answer;
import dev.flyball.ops.console.operate.Outcome.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an operator changes, before Kafka has it, and what the answer says of it. */
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

  @Test
  void anAnswerSaysWhatIsWrittenWhatPerhapsAndWhatNot() {
    Answer perhaps = Answer.of("retry", List.of(outcome("a/b/1", Effect.UNCONFIRMED)));
    assertThat(perhaps.result().status()).isEqualTo(202);
    assertThat(perhaps.result()).isEqualTo(Effect.UNCONFIRMED);
    assertThat(perhaps.notice())
        .isEqualTo(
            "a/b/1: the command was perhaps written (no answer); check it before you repeat it");

    Answer not = Answer.of("retry", List.of(outcome("a/b/1", Effect.UNWRITTEN)));
    assertThat(not.result().status()).isEqualTo(503);
    assertThat(not.notice()).isEqualTo("a/b/1: the command was not written (no answer)");
  }

  @Test
  void anAnswerCountsWhatBecameOfSeveralItems() {
    Answer some =
        Answer.of(
            "skip",
            List.of(
                outcome("a/b/1", Effect.SENT),
                outcome("a/b/2", Effect.UNCONFIRMED),
                outcome("a/b/3", Effect.UNWRITTEN)));

    assertThat(some.result().status()).isEqualTo(202);
    assertThat(some.result()).isEqualTo(Effect.PARTIAL);
    assertThat(some.notice()).isEqualTo("skip: 0 done, 1 sent, 1 perhaps written, 1 not written");
    assertThat(some.effects())
        .extracting(Outcome::what, Outcome::effect, Outcome::why)
        .containsExactly(
            tuple("a/b/1", Effect.SENT, ""),
            tuple("a/b/2", Effect.UNCONFIRMED, "no answer"),
            tuple("a/b/3", Effect.UNWRITTEN, "no answer"));
  }

  private static Outcome outcome(String item, Effect effect) {
    return Outcome.of(item, effect, effect == Effect.SENT ? "" : "no answer");
  }
}
