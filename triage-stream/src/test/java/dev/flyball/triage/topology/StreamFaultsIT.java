package dev.flyball.triage.topology;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.triage.item.MachineSettings;
import dev.flyball.triage.item.Routing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("The stream recovers from faults of its thread, its folder and its stored states")
final class StreamFaultsIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir private Path folder = Path.of("");

  /** How often a stream thread still throws where it counts a dead letter. */
  private final AtomicInteger throwing = new AtomicInteger();

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @Test
  void aThreadThatThrowsIsReplacedAndReadsItsRecordOnce() {
    throwing.set(2);
    try (var stream = stream()) {
      stream.start();
      KAFKA.produceRaw(KAFKA.topics().workItems(), "acme/throws/1", bytes("{"));
      publish("acme/throws/1", "one");

      // The exception of the thread that is replaced is what this test wants.
      await().dontCatchUncaughtExceptions().until(() -> !questions("acme/throws/1").isEmpty());
      assertThat(throwing).hasValue(0);
      assertThat(letters("acme/throws/1"))
          .singleElement()
          .satisfies(it -> assertThat(it.topic()).isEqualTo(KAFKA.topics().workItems()));
      await().until(() -> stream.health().equals(Health.healthy()));
    }
    assertThat(questions("acme/throws/1")).hasSize(1);
  }

  @Test
  void aFolderThatIsGoneAtTheStartIsRestored() throws IOException {
    known("acme/gone/1");
    delete(folder);

    try (var stream = stream()) {
      stream.start();
      publish("acme/gone/1", "one");
      await().until(() -> count("acme/gone/1", EventType.ITEM_DUPLICATE) == 1);
    }
    assertThat(questions("acme/gone/1")).hasSize(1);
  }

  @Test
  void aFolderThatGoesWhileItRunsLosesNothing() throws IOException {
    try (var stream = stream()) {
      stream.start();
      publish("acme/going/1", "one");
      await().until(() -> !questions("acme/going/1").isEmpty());
      delete(folder);
      publish("acme/going/1", "one");
      publish("acme/going/2", "two");
      await().until(() -> !questions("acme/going/2").isEmpty());
    }
    try (var stream = stream()) {
      stream.start();
      publish("acme/going/2", "two");
      await().until(() -> count("acme/going/2", EventType.ITEM_DUPLICATE) == 1);
    }
    assertThat(count("acme/going/1", EventType.ITEM_DUPLICATE)).isEqualTo(1);
    assertThat(questions("acme/going/1")).hasSize(1);
    assertThat(questions("acme/going/2")).hasSize(1);
  }

  @Test
  void anUnreadableStateIsADeadLetterAndItsItemStartsAgain() {
    known("acme/broken/1");
    KAFKA.produceRaw(KAFKA.topics().itemState(), "acme/broken/1", bytes("{\"schema\":"));

    try (var stream = stream()) {
      stream.start();
      publish("acme/broken/1", "one");
      publish("acme/broken/1", "one");
      await().until(() -> count("acme/broken/1", EventType.ITEM_DUPLICATE) == 1);
    }
    assertThat(letters("acme/broken/1"))
        .singleElement()
        .satisfies(it -> assertThat(it.topic()).isEqualTo(KAFKA.topics().itemState()))
        .satisfies(it -> assertThat(it.offset()).isEqualTo(DeadLetter.NO_OFFSET))
        .satisfies(it -> assertThat(it.value()).isEqualTo("{\"schema\":"));
    assertThat(questions("acme/broken/1")).hasSize(2);
  }

  /** Leaves an item in the stores, with its question asked. */
  private void known(String item) {
    try (var stream = stream()) {
      stream.start();
      publish(item, "one");
      await().until(() -> !questions(item).isEmpty());
    }
  }

  private StreamService stream() {
    var clients = KAFKA.clients("triage");
    return new StreamService(
        clients,
        new TriageTopology.Settings(
            KAFKA.topics(),
            clients.topicId(KAFKA.topics().sessionLedger()),
            MachineSettings.defaults(Routing.NONE),
            6,
            _ -> throwIfAsked()),
        folder.resolve("streams"));
  }

  private void throwIfAsked() {
    if (throwing.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new IllegalStateException("a fault of the test");
    }
  }

  private static void publish(String item, String content) {
    KAFKA.produce(KAFKA.topics().workItems(), item, DrivenStream.snapshot(content));
  }

  private static List<ConsumerRecord<String, byte[]>> questions(String item) {
    return of(KAFKA.topics().triageRequests(), item);
  }

  private static List<DeadLetter> letters(String item) {
    return of(KAFKA.topics().deadLetters(), item).stream()
        .map(it -> RecordJson.read(it.value(), DeadLetter.class))
        .toList();
  }

  private static List<ConsumerRecord<String, byte[]>> of(String topic, String item) {
    return KAFKA.records(topic).stream().filter(it -> item.equals(it.key())).toList();
  }

  private static long count(String item, EventType type) {
    return KAFKA.events().stream()
        .filter(it -> it.type() == type)
        .map(LifecycleEvent::subject)
        .filter(item::equals)
        .count();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void delete(Path folder) throws IOException {
    try (var all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        if (!each.equals(folder)) {
          Files.delete(each);
        }
      }
    }
  }
}
