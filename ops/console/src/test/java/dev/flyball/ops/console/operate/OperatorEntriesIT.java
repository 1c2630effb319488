package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.kafka.ClientFactory;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.operate.CommandSender.By;
import dev.flyball.ops.console.operate.OperatorEntries.NoAnswer;
import dev.flyball.ops.console.operate.Outcome.Effect;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.testkit.KafkaFixture;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("An operator's change ends with an answer")
@Timeout(60)
class OperatorEntriesIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  private static final By ANN = new By("ann", "test");

  @BeforeAll
  static void provision() {
    KAFKA.provision();
  }

  @Test
  void whateverTheLedgerDoes() {
    var silent = new AtomicBoolean();
    var desk =
        new OperatorEntries(
            new KafkaClients(KAFKA.settings(), "test", new Silencing(silent)),
            Duration.ofSeconds(5));
    assertThat(desk.change(ScopeChange.cap(Scope.GLOBAL, 2), ANN).outcome().effect())
        .as("all is well")
        .isEqualTo(Effect.DONE);

    var set = ScopeChange.cap("tenant:acme", 1);
    assertThat(desk.change(set, ANN).state().cap("tenant:acme")).contains(1);
    var removal = ScopeChange.uncapped("tenant:acme");
    OperatorEntries.Changed removed = desk.change(removal, ANN);
    assertThat(removed.outcome().effect()).isEqualTo(Effect.DONE);
    assertThat(removed.state().cap("tenant:acme")).isEmpty();
    OperatorEntries.Changed again = desk.change(removal, ANN);
    assertThat(again.outcome().effect()).isEqualTo(Effect.UNCHANGED);
    assertThat(again.outcome().why()).isEqualTo("tenant:acme has no cap");
    assertThat(again.state().offset()).as("end of the ledger").isEqualTo(removed.state().offset());

    assertThatThrownBy(() ->
            desk.change(
                new ScopeChange(
                    "cap",
                    Scope.GLOBAL,
                    AccessRole.ADMIN,
                    _ -> Optional.empty(),
                    (_, seen, by) -> {
                      silent.set(true);
                      return new LedgerEntry.Cap(Scope.GLOBAL, 3, seen, by.who(), by.why());
                    }),
                ANN))
        .as("nothing comes any more after the entry was acknowledged")
        .isInstanceOf(NoAnswer.class)
        .hasMessageContaining("was written");
    silent.set(false);
    assertThat(desk.state().cap()).isEqualTo(3);

    KAFKA.produce(
        KAFKA.topics().sessionLedger(), "-", new LedgerEntry.Rules(LedgerState.RULES + 1));
    assertThatThrownBy(() -> desk.change(ScopeChange.cap(Scope.GLOBAL, 4), ANN))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("upgrade");
  }

  /** Consumers that find nothing while they are told to. */
  record Silencing(AtomicBoolean silent) implements ClientFactory {
    @Override
    public KafkaConsumer<String, byte[]> consumer(Map<String, Object> properties) {
      return new KafkaConsumer<>(
          properties, new StringDeserializer(), new ByteArrayDeserializer()) {
        @Override
        public ConsumerRecords<String, byte[]> poll(Duration timeout) {
          return silent.get() ? ConsumerRecords.empty() : super.poll(timeout);
        }
      };
    }
  }
}
