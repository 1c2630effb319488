package dev.flyball.writeback;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import dev.flyball.tracker.TrackerFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName(
    "Write-back: every analysis of a source reaches its tracker, at least once and once to see")
class WriteBackLoopIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();
  private static int tests;

  @TempDir Path folder;

  private final String source = "acme/s" + ++tests;
  private final MemoryComments tracker = new MemoryComments();
  private final List<WriteBackLoop> loops = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private KafkaProducer<String, byte[]> producer;

  @BeforeEach
  void open() {
    KAFKA.provision();
    producer = KAFKA.clients("producer").producer("dead-letters", Map.of());
  }

  @AfterEach
  void close() throws InterruptedException {
    stopAll();
    producer.close();
  }

  private void stopAll() throws InterruptedException {
    loops.forEach(WriteBackLoop::stop);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  void aGroupThatTheBrokerHasForgottenLooksAgainAtAllSinceItsFirstStart() throws Exception {
    analysed("0", "s-0", 1);
    start();
    awaitJoined();
    analysed("1", "s-1", 2);
    KAFKA.produce(KAFKA.topics().analyses(), "acme/other/9", analysis("s-9", 9));
    KafkaFixture.await().until(() -> tracker.written("1") == 1);
    stopAll();
    forgetGroup();
    analysed("2", "s-2", 3);
    int before = tracker.looks;
    start();

    KafkaFixture.await().until(() -> tracker.written("2") == 1);
    KafkaFixture.await().until(() -> tracker.looks == before + 2);
    assertThat(tracker.written("1")).as("it was there").isOne();
    assertThat(tracker.comments).containsOnlyKeys("1", "2");
  }

  @Test
  void healthRecoversWithoutAnotherAnalysis() throws Exception {
    Path began = Files.writeString(folder.resolve(source.replace('/', '.')), "no time");
    start();
    KafkaFixture.await().until(() -> loops.getFirst().trouble().isPresent());
    Files.delete(began);

    KafkaFixture.await().until(() -> loops.getFirst().trouble().isEmpty());
  }

  @Test
  void aStuckItemHoldsUpNoOtherAndIsFoundAgainAfterARestart() throws Exception {
    tracker.failing.put("1", TrackerFailure.Category.AUTH);
    start();
    awaitJoined();
    analysed("1", "s-1", 1);
    analysed("1", "s-2", 2);
    analysed("2", "s-3", 3);

    KafkaFixture.await().until(() -> tracker.written("2") == 1);
    assertThat(loops.getFirst().trouble())
        .hasValueSatisfying(line -> assertThat(line).contains(source + "/1", "down for one"));
    assertThat(tracker.comments).containsOnlyKeys("2");

    stopAll();
    tracker.failing.clear();
    start();
    KafkaFixture.await().until(() -> tracker.written("1") == 2);
    assertThat(tracker.comments.get("1")).as("one comment, edited").hasSize(1);
    assertThat(tracker.written("2")).as("delivered once").isOne();
  }

  @Test
  void whatIsNoAnalysisAndWhoseItemIsGoneBecomesADeadLetterAndTheOthersGoOn() {
    tracker.failing.put("3", TrackerFailure.Category.NOT_FOUND);
    start();
    awaitJoined();
    KAFKA.produceRaw(
        KAFKA.topics().analyses(), source + "/1", "{\"revision\":\"1\"}".getBytes(UTF_8));
    KAFKA.produce(
        KAFKA.topics().analyses(), source + "/1", Sample.analysis("answer", "s-1", "nonsense"));
    analysed("1", "s-2", 2);
    analysed("3", "s-3", 3);

    KafkaFixture.await().until(() -> tracker.written("1") == 1);
    KafkaFixture.await()
        .untilAsserted(() ->
            assertThat(KAFKA.records(KAFKA.topics().deadLetters()))
                .filteredOn(record -> record.key().startsWith(source + "/"))
                .hasSize(3)
                .extracting(record -> RecordJson.read(record.value(), DeadLetter.class).reason())
                .contains("not written back: down for one"));
    assertThat(tracker.comments).containsOnlyKeys("1");
  }

  @Test
  void aRedeliveryIsReportedAndLeavesNoSecondDeadLetter() {
    tracker.fail(TrackerFailure.Category.NOT_FOUND);
    start();
    awaitJoined();
    redeliver("c-1", "1");
    awaitEvents(EventType.COMMAND_REFUSED, EventType.WRITE_BACK_FAILED);
    redeliver("c-2", "1");
    awaitEvents(
        EventType.COMMAND_REFUSED,
        EventType.WRITE_BACK_FAILED,
        EventType.COMMAND_DONE,
        EventType.WRITE_BACK_FINISHED);

    assertThat(tracker.written("1")).isOne();
    assertThat(KAFKA.records(KAFKA.topics().deadLetters()))
        .noneMatch(record -> record.key().startsWith(source + "/"));
  }

  private void redeliver(String command, String item) {
    KAFKA.produce(
        KAFKA.topics().commands(),
        source + "/" + item,
        new Command.Redeliver(command, "ada", Instant.EPOCH, "", analysis("s-1", 1)));
  }

  private void awaitEvents(EventType... types) {
    KafkaFixture.await()
        .untilAsserted(() ->
            assertThat(KAFKA.events())
                .filteredOn(event -> event.subject().equals(source + "/1"))
                .extracting(LifecycleEvent::type)
                .containsExactly(types));
  }

  private void start() {
    var loop =
        new WriteBackLoop(
            KAFKA.clients("producer"),
            source,
            new FirstStarts(folder, InstantSource.system()),
            new CommentDelivery(tracker, false),
            new DeliveryReports(producer, KAFKA.topics(), new Telemetry(), InstantSource.system()),
            System::nanoTime);
    loops.add(loop);
    threads.add(Thread.ofVirtual().start(loop));
  }

  /** Waits until the group has committed its beginning, which it does once it has joined. */
  private void awaitJoined() {
    KafkaFixture.await()
        .ignoreExceptions()
        .until(() -> {
          try (var admin = KAFKA.clients("test").admin("offsets")) {
            return admin
                    .listConsumerGroupOffsets(group())
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .size()
                == 12;
          }
        });
  }

  /** Deletes the group, as a broker does a week after the last member left. */
  private void forgetGroup() {
    KafkaFixture.await()
        .ignoreExceptions()
        .until(() -> {
          try (var admin = KAFKA.clients("test").admin("offsets")) {
            admin.deleteConsumerGroups(List.of(group())).all().get();
            return true;
          }
        });
  }

  private String group() {
    return KAFKA.topics().prefix() + "write-back." + source.replace('/', '.');
  }

  private void analysed(String item, String session, long offset) {
    KAFKA.produce(KAFKA.topics().analyses(), source + "/" + item, analysis(session, offset));
  }

  private static Analysis analysis(String session, long offset) {
    return Sample.analysis("answer", session, "ledger:" + offset);
  }
}
