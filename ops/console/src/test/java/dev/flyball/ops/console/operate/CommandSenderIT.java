package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.testkit.KafkaFixture;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the desk makes of the answers that triage-stream writes, or does not. */
@Tag("long")
final class CommandSenderIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  private static final Instant AT = Instant.parse("2026-11-21T08:00:00Z");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Of each test its own, so that none meets what another left. */
  private final String id = UUID.randomUUID().toString();

  private final ItemKey item = ItemKey.parse("a/b/" + id);
  private final CommandSender desk = new CommandSender(KAFKA.clients("operator"));

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @Test
  void withoutAnAnswerNothingWasSeenOnceThePatienceIsOver() {
    CommandResult ordered = desk.order(Map.of(retry(), item), Duration.ofMillis(300)).getFirst();
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
    var read = new ArrayList<DeadLetterReader.Letter>();
    DeadLetterReader.read(
        KAFKA.clients("operator"),
        each -> {
          if (id.equals(each.key())) {
            read.add(each);
          }
        });
    assertThat(read).hasSize(2);
    assertThat(read.getFirst().letter().reason()).startsWith("itself unreadable");
    assertThat(read.getLast().letter().reason()).isEqualTo("why");
  }

  private Command retry() {
    return new Command.Retry(id, "ada", AT, "");
  }

  private Optional<Command> sent() {
    return KAFKA.newest(KAFKA.topics().commands(), item.toString(), Command.class);
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

  private void event(EventType type, String eventId, EventData data) {
    KAFKA.produce(new LifecycleEvent(eventId, type, "/triage", item.toString(), AT, data));
  }
}
