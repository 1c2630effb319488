package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.kafka.ClientFactory;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.operate.CommandSender.By;
import dev.flyball.ops.console.operate.OperatorEntries.NoAnswer;
import dev.flyball.ops.console.operate.Outcome.Effect;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.testkit.KafkaFixture;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("An operator's change or command ends with an answer")
@Timeout(60)
class OperatorEntriesIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();

  private static final By ANN = new By("ann", "test");

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
  private record Silencing(AtomicBoolean silent) implements ClientFactory {
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

  private static final Instant AT = Instant.parse("2026-11-21T08:00:00Z");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Of each test its own, so that none meets what another left. */
  private final String id = UUID.randomUUID().toString();

  private final String item = "a/b/" + id;
  private final CommandSender sender = new CommandSender(KAFKA.clients("operator"));

  @Test
  @Tag("long")
  void anAnswerCountsByTheCommandsIdAndARunningSessionByItsTerminal() {
    answer(EventType.COMMAND_REFUSED, id, EventData.EMPTY);
    var ordered =
        CompletableFuture.supplyAsync(
            () -> sender.order(Map.of(retry(), item), PATIENCE).getFirst());
    KafkaFixture.await().until(() -> sent().isPresent());
    answer(EventType.COMMAND_REFUSED, "another", EventData.EMPTY);
    answer(EventType.COMMAND_DONE, id, EventData.EMPTY.with(Field.SESSION, "s1"));
    end("s0", "failed");
    assertThat(ordered).as("the session that it ends has not ended yet").isNotDone();
    end("s1", "cancelled");
    assertThat(ordered.join().seen()).isTrue();
    assertThat(ordered.join().done()).isTrue();
    assertThat(ordered.join().endField(Field.OUTCOME)).isEqualTo("cancelled");
  }

  @Test
  @Tag("long")
  void aLetterThatIsNoneIsListedWithThatAsItsReason() {
    String topic = KAFKA.topics().deadLetters();
    KAFKA.produceRaw(topic, id, "{".getBytes(StandardCharsets.UTF_8));
    KAFKA.produce(topic, id, new DeadLetter("why", "t", 1, 2, "v", "triage", AT));
    var read = new ArrayList<DeadLetter>();
    DeadLetters.read(
        KAFKA.clients("operator"),
        each -> {
          if (id.equals(each.key())) {
            read.add(DeadLetters.of(each));
          }
        });
    assertThat(read).hasSize(2);
    assertThat(read.getFirst().reason()).startsWith("itself unreadable");
    assertThat(read.getLast().reason()).isEqualTo("why");
  }

  @Test
  @Tag("long")
  @Timeout(40)
  void deadLettersOfAPartitionWithoutALeaderEndInOneLine() {
    KAFKA.produce(
        KAFKA.topics().deadLetters(), id, new DeadLetter("why", "t", 1, 2, "v", "triage", AT));
    var silent = new Silencing(new AtomicBoolean(true));

    assertThatThrownBy(() ->
            DeadLetters.read(new KafkaClients(KAFKA.settings(), "operator", silent), each -> {}))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("no leader");
  }

  @Test
  @Tag("long")
  void eachCommandSaysWhetherItIsWritten() {
    var failures = new ArrayDeque<RuntimeException>();
    failures.add(new TimeoutException("120000 ms has passed"));
    failures.add(new RecordTooLargeException("too large"));
    var limits = new HashMap<String, Object>();
    var commands = new LinkedHashMap<Command, String>();
    for (String each : List.of("1", "2", "3")) {
      commands.put(new Command.Retry(id + each, "ada", AT, ""), "a/b/" + id + each);
    }

    List<Outcome> results =
        new CommandSender(
                new KafkaClients(KAFKA.settings(), "operator", new Failing(failures, limits)),
                Duration.ofSeconds(5))
            .order(commands, Duration.ofMillis(300));

    assertThat(results)
        .extracting(Outcome::effect)
        .containsExactly(Effect.UNCONFIRMED, Effect.UNWRITTEN, Effect.SENT);
    assertThat(results)
        .extracting(Outcome::why)
        .containsExactly("120000 ms has passed", "too large", "");
    assertThat(limits)
        .containsEntry("delivery.timeout.ms", "5000")
        .containsEntry("max.block.ms", "5000");
  }

  private Command retry() {
    return new Command.Retry(id, "ada", AT, "");
  }

  private Optional<Command> sent() {
    return KAFKA.newest(KAFKA.topics().commands(), item, Command.class);
  }

  private void answer(EventType type, String command, EventData more) {
    event(type, command + "-" + type.type(), more.with(Field.COMMAND_ID, command));
  }

  private void end(String session, String outcome) {
    event(
        EventType.SESSION_CANCELLED,
        session + "-end",
        EventData.EMPTY.with(Field.SESSION, session).with(Field.OUTCOME, outcome));
  }

  /** A producer whose first sends fail. */
  private record Failing(Queue<RuntimeException> failures, Map<String, Object> seen)
      implements ClientFactory {
    @Override
    public KafkaProducer<String, byte[]> producer(Map<String, Object> properties) {
      seen.putAll(properties);
      return new KafkaProducer<>(properties, new StringSerializer(), new ByteArraySerializer()) {
        @Override
        public Future<RecordMetadata> send(ProducerRecord<String, byte[]> record) {
          RuntimeException failure = failures.poll();
          return failure == null ? super.send(record) : CompletableFuture.failedFuture(failure);
        }
      };
    }
  }

  private void event(EventType type, String eventId, EventData data) {
    KAFKA.produce(new LifecycleEvent(eventId, type, "/triage", item, AT, data));
  }
}
