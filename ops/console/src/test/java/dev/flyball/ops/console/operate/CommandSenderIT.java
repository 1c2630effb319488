package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.kafka.ClientFactory;
import dev.flyball.kafka.KafkaClients;
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
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the desk makes of the answers that triage-stream writes, or does not. */
@Tag("long")
final class CommandSenderIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  private static final Instant AT = Instant.parse("2026-11-21T08:00:00Z");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Of each test its own, so that none meets what another left. */
  private final String id = UUID.randomUUID().toString();

  private final String item = "a/b/" + id;
  private final CommandSender desk = new CommandSender(KAFKA.clients("operator"));

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @Test
  void withoutAnAnswerNothingWasSeenOnceThePatienceIsOver() {
    Outcome ordered = desk.order(Map.of(retry(), item), Duration.ofMillis(300)).getFirst();
    assertThat(ordered.seen()).isFalse();
    assertThat(ordered.done()).isFalse();
    assertThat(sent()).hasValue(retry());
  }

  @Test
  void anAnswerCountsByTheCommandsIdAndARunningSessionByItsTerminal() {
    answer(EventType.COMMAND_REFUSED, id, EventData.EMPTY);
    var ordered =
        CompletableFuture.supplyAsync(() -> desk.order(Map.of(retry(), item), PATIENCE).getFirst());
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
  @Timeout(40)
  void deadLettersOfAPartitionWithoutALeaderEndInOneLine() {
    KAFKA.produce(
        KAFKA.topics().deadLetters(), id, new DeadLetter("why", "t", 1, 2, "v", "triage", AT));
    var silent = new OperatorEntriesIT.Silencing(new AtomicBoolean(true));

    assertThatThrownBy(() ->
            DeadLetters.read(new KafkaClients(KAFKA.settings(), "operator", silent), each -> {}))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("no leader");
  }

  @Test
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
