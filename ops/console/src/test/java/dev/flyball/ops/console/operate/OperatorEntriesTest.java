package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.BrokerUnreachable;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class OperatorEntriesTest {
  @Test
  void aResumeOfWhatIsNotPausedSaysSo() {
    var resume = new ScopeChange.Resume("tenant:acme");

    assertThat(resume.unneeded(LedgerState.empty())).hasValue("tenant:acme is not paused");
  }

  @Test
  @Timeout(20)
  void aChangeFailsSoonWhileNoBrokerAnswers() {
    var away = new KafkaSettings(Topics.DEFAULT, Map.of("bootstrap.servers", "127.0.0.1:1"));
    var entries = new OperatorEntries(new KafkaClients(away, "operator"), Duration.ofMillis(300));

    assertThatThrownBy(() -> entries.change(new ScopeChange.Resume("global"), "ann", "why"))
        .isInstanceOf(BrokerUnreachable.class);
  }
}
