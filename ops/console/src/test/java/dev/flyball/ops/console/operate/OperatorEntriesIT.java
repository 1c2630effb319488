package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.kafka.ClientFactory;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.OperatorEntries.NoAnswer;
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
    assertThat(desk.change(new ScopeChange.Cap(Scope.GLOBAL, 2), "ann", "test").unchanged())
        .as("all is well")
        .isNull();

    var set = new ScopeChange.Cap("tenant:acme", 1);
    assertThat(desk.change(set, "ann", "test").state().cap("tenant:acme")).contains(1);
    var removal = ScopeChange.Cap.removed("tenant:acme");
    OperatorEntries.Answer removed = desk.change(removal, "ann", "test");
    assertThat(removed.unchanged()).isNull();
    assertThat(removed.state().cap("tenant:acme")).isEmpty();
    OperatorEntries.Answer again = desk.change(removal, "ann", "test");
    assertThat(again.unchanged()).isNotEmpty();
    assertThat(again.state().offset()).as("end of the ledger").isEqualTo(removed.state().offset());

    assertThatThrownBy(() ->
            desk.append(
                Scope.GLOBAL,
                state -> Optional.empty(),
                state -> {
                  silent.set(true);
                  return cap(state, 3);
                }))
        .as("nothing comes any more after the entry was acknowledged")
        .isInstanceOfSatisfying(NoAnswer.class, e -> assertThat(e.perhapsWritten()).isTrue())
        .hasMessageContaining("was written");
    silent.set(false);
    assertThat(desk.state().cap()).isEqualTo(3);

    KAFKA.produce(
        KAFKA.topics().sessionLedger(), "-", new LedgerEntry.Rules(LedgerState.RULES + 1));
    assertThatThrownBy(() -> desk.change(new ScopeChange.Cap(Scope.GLOBAL, 4), "ann", "test"))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("upgrade");
  }

  private static LedgerEntry cap(LedgerState state, int limit) {
    return new LedgerEntry.Cap(
        Scope.GLOBAL, limit, state.lastOperator(Scope.GLOBAL), "ann", "test");
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
