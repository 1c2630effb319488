package dev.flyball.triage.topology;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.contract.event.EventType;
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
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The tests go on from each other: most of their time is that of starts. */
@Tag("long")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@DisplayName("The stream recovers from faults of its thread, its folder and its stored states")
final class StreamFaultsIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir private static Path folder;

  /** How often a stream thread still throws where it counts a dead letter. */
  private static final AtomicInteger THROWING = new AtomicInteger();

  @AutoClose private static StreamService stream;

  @BeforeAll
  static void topics() {
    KAFKA.provision();
    stream = start();
  }

  @Test
  @Order(1)
  void aThreadThatThrowsIsReplacedAndReadsItsRecordOnce() {
    THROWING.set(2);
    KAFKA.produceRaw(KAFKA.topics().workItems(), "acme/throws/1", bytes("{"));
    publish("acme/throws/1", "one");

    // The exception of the thread that is replaced is what this test wants.
    await().dontCatchUncaughtExceptions().until(() -> !questions("acme/throws/1").isEmpty());
    assertThat(THROWING).hasValue(0);
    assertThat(letters("acme/throws/1"))
        .extracting(DeadLetter::topic)
        .containsExactly(KAFKA.topics().workItems());
    await().until(() -> stream.health().equals(Health.healthy()));
  }

  @Test
  @Order(2)
  void aFolderThatGoesWhileItRunsLosesNothing() throws IOException {
    known("acme/going/1");
    delete(folder);
    publish("acme/going/1", "one");
    publish("acme/going/2", "two");
    await().until(() -> !questions("acme/going/2").isEmpty());
    stream.close();

    stream = start();
    publish("acme/going/2", "two");
    await().until(() -> count("acme/going/2", EventType.ITEM_DUPLICATE) == 1);
    assertThat(count("acme/going/1", EventType.ITEM_DUPLICATE)).isEqualTo(1);
    assertThat(questions("acme/going/1")).hasSize(1);
    assertThat(questions("acme/going/2")).hasSize(1);
  }

  @Test
  @Order(3)
  void aFolderThatIsGoneAtTheStartIsRestored() throws IOException {
    known("acme/gone/1");
    stream.close();
    delete(folder);

    stream = start();
    publish("acme/gone/1", "one");
    await().until(() -> count("acme/gone/1", EventType.ITEM_DUPLICATE) == 1);
    assertThat(questions("acme/gone/1")).hasSize(1);
  }

  @Test
  @Order(4)
  void anUnreadableStateIsADeadLetterAndItsItemStartsAgain() {
    known("acme/broken/1");
    stream.close();
    KAFKA.produceRaw(KAFKA.topics().itemState(), "acme/broken/1", bytes("{\"schema\":"));

    stream = start();
    publish("acme/broken/1", "one");
    publish("acme/broken/1", "one");
    await().until(() -> count("acme/broken/1", EventType.ITEM_DUPLICATE) == 1);
    assertThat(letters("acme/broken/1"))
        .extracting(DeadLetter::topic, DeadLetter::offset, DeadLetter::value)
        .containsExactly(tuple(KAFKA.topics().itemState(), DeadLetter.NO_OFFSET, "{\"schema\":"));
    assertThat(questions("acme/broken/1")).hasSize(2);
    assertThat(questions("acme/throws/1")).as("over all starts").hasSize(1);
  }

  /** Leaves an item in the stores, with its question asked. */
  private static void known(String item) {
    publish(item, "one");
    await().until(() -> !questions(item).isEmpty());
  }

  private static StreamService start() {
    var clients = KAFKA.clients("triage");
    var started =
        new StreamService(
            clients,
            new TriageTopology.Settings(
                KAFKA.topics(),
                clients.topicId(KAFKA.topics().sessionLedger()),
                MachineSettings.defaults(Routing.NONE),
                6,
                _ -> throwIfAsked()),
            folder.resolve("streams"));
    started.start();
    return started;
  }

  private static void throwIfAsked() {
    if (THROWING.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
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
        .filter(it -> it.type() == type && it.subject().equals(item))
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
