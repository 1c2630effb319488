package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.producer.publish.NotPolled;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.http.TrackerLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The producer of a file against a real broker. */
class ProducerAppIT extends PollFixture {
  private Path file;

  @BeforeEach
  void setUp() {
    file = folder.resolve("items.jsonl");
  }

  @Test
  @DisplayName(
      "MC-4: only what changed is published; an unchanged file costs nothing, a no-op edit one"
          + " snapshot")
  void onlyWhatChangedIsPublished() throws IOException {
    write(line("1", "a", "1"), line("2", "b", "1"), line("1", "a2", "2"));
    ProducerApp app = start("one");

    PollReport.Finished first = poll(app);
    assertThat(first.items()).isEqualTo(2);
    assertThat(first.lines()).isEqualTo(3);
    assertThat(titles()).containsExactlyInAnyOrder("1 a old", "2 b newest", "1 a2 newest");

    assertThat(poll(app).published()).isEmpty();
    assertThat(poll(app).duplicates()).isEqualTo(3);

    write(line("1", "a", "1"), line("2", "b", "2"), line("1", "a2", "2"));
    PollReport.Finished noOp = poll(app);
    assertThat(noOp.published()).singleElement().extracting(p -> p.key().id()).isEqualTo("2");
    assertThat(noOp.published().getFirst().fingerprint())
        .isEqualTo(first.published().get(1).fingerprint());

    write(line("1", "a", "1"), line("2", "b", "2"), line("1", "a2", "2"), line("1", "a3", "3"));
    assertThat(poll(app).published()).singleElement().extracting(p -> p.revision()).isEqualTo("3");
    assertThat(titles()).hasSize(5);
    assertThat(events()).contains(EventType.POLL_STARTED, EventType.POLL_FINISHED);
  }

  // MC-8
  @Test
  void everyRecordIsReadable() throws IOException {
    write(line("1", "a", "1"));
    poll(start("one"));

    ConsumerRecord<String, byte[]> record =
        records(KAFKA.topics().workItems()).findFirst().orElseThrow();
    assertThat(record.key()).isEqualTo(key + "/1");
    assertThat(EventHeaders.text(record.headers(), EventHeaders.SCHEMA)).isEqualTo("work-item/1");
    ConsumerRecord<String, byte[]> state =
        records(KAFKA.topics().pollState()).reduce((_, later) -> later).orElseThrow();
    assertThat(state.key()).isEqualTo(key);
    assertThat(RecordJson.read(state.value(), PollState.class).cursor()).startsWith("sha256:");
  }

  @Test
  void aMalformedLineIsADeadLetterOnceAndTheOthersGoOn() throws IOException {
    write(line("1", "a", "1"), "{broken", line("2", "b", "1"));
    ProducerApp app = start("one");

    assertThat(poll(app).invalid()).extracting(PollResult.Unread::line).containsExactly(2L);
    write(line("1", "a", "1"), line("3", "c", "1"), "{broken", line("2", "b", "1"));
    assertThat(poll(app).invalid()).extracting(PollResult.Unread::line).containsExactly(3L);
    assertThat(app.health().status()).isEqualTo(Health.Status.DEGRADED);
    assertThat(app.health().reasons())
        .singleElement()
        .satisfies(it -> assertThat(it).contains("1 of 4 "));

    assertThat(titles()).hasSize(3);
    DeadLetter letter = RecordJson.read(only(letters()).value(), DeadLetter.class);
    assertThat(letter.topic()).isEqualTo("items.jsonl");
    assertThat(letter.partition()).isEqualTo(-1);
    assertThat(letter.offset()).isEqualTo(2);
    assertThat(letter.value()).isEqualTo("{broken");
    assertThat(letter.reason()).isNotBlank();
  }

  @Test
  @DisplayName("S0-9, S0-46: a lost history publishes nothing again, and knows the rest afterwards")
  void aLostHistoryIsLearntFromTheUnchangedFile() throws IOException {
    write(line("1", "a", "1"), line("2", "b", "1"), "{broken");
    ProducerApp app = start("one");
    poll(app);
    app.stop();
    deleteHistory("one");

    ProducerApp again = start("one");
    assertThat(poll(again).published()).isEmpty();
    write(line("1", "a", "1"), line("2", "b2", "2"), "{broken");

    assertThat(poll(again).published())
        .singleElement()
        .extracting(p -> p.key().id())
        .isEqualTo("2");
    assertThat(letters()).hasSize(1);
  }

  @Test
  @DisplayName("S0-9, S2-4: of a changed file a lost history is learnt from the topic")
  void aLostHistoryAndAChangedFilePublishOnlyTheChange() throws IOException {
    write(line("1", "a", "1"), line("2", "b", "1"));
    ProducerApp app = start("one");
    poll(app);
    app.stop();
    deleteHistory("one");
    write(line("1", "a", "1"), line("2", "b2", "2"));

    assertThat(poll(start("one")).published())
        .singleElement()
        .extracting(p -> p.key().id())
        .isEqualTo("2");
  }

  @Test
  void anOldHistoryIsNotBelieved() throws IOException {
    write(line("1", "a", "1"));
    ProducerApp app = start("one");
    poll(app);
    app.stop();
    Path old = folder.resolve("one").resolve("producer.db");
    Files.copy(old, folder.resolve("old.db"));
    write(line("1", "a2", "2"));
    ProducerApp second = start("one");
    poll(second);
    second.stop();
    deleteHistory("one");
    Files.copy(folder.resolve("old.db"), old);
    write(line("1", "a", "1"));

    assertThat(poll(start("one")).published())
        .as("the old history says that this is known, but the newest published one is another")
        .singleElement()
        .satisfies(published -> assertThat(published.newest()).isTrue());
  }

  @Test
  @DisplayName(
      "S2-4: a poller killed in its transaction leaves nothing behind, and cannot come back (T16)")
  void aKilledTransactionLosesAndDoublesNothing() throws IOException {
    write(line("1", "a", "1"), line("2", "b", "1"));
    var zombie =
        KAFKA
            .clients("zombie")
            .producer(
                "zombie", Map.of("transactional.id", KAFKA.topics().prefix() + "producer/" + key));
    zombie.initTransactions();
    zombie.beginTransaction();
    var _ =
        zombie.send(
            new ProducerRecord<>(KAFKA.topics().workItems(), key + "/1", new byte[] {'{', '}'}));
    zombie.flush();

    assertThat(poll(start("one")).published()).hasSize(2);

    assertThat(titles()).containsExactlyInAnyOrder("1 a newest", "2 b newest");
    assertThatThrownBy(zombie::commitTransaction)
        .isInstanceOfAny(ProducerFencedException.class, InvalidProducerEpochException.class);
    zombie.close(Duration.ZERO);
  }

  @Test
  void whatIsNoPollStateIsADeadLetterAndTheSourceIsPolled() throws IOException {
    write(line("1", "a", "1"));
    strange("{nonsense", "{\"epoch\":1,\"beat\":2}");
    started(new ProducerApp(config("one"), KAFKA.settings(), telemetry, new TrackerLimits()));
    await().atMost(Duration.ofSeconds(30)).until(() -> titles().size() == 1);
    write(line("1", "b", "2"));
    await().atMost(Duration.ofSeconds(30)).until(() -> titles().size() == 2);
    List<DeadLetter> letters =
        letters().stream()
            .map(record -> RecordJson.read(record.value(), DeadLetter.class))
            .toList();
    assertThat(letters).hasSize(2);
    assertThat(letters)
        .allSatisfy(letter -> {
          assertThat(letter.topic()).isEqualTo(KAFKA.topics().pollState());
          assertThat(letter.partition()).isZero();
          assertThat(letter.reason()).isNotBlank();
        });
  }

  private void strange(String... values) {
    for (String value : values) {
      KAFKA.produceRaw(KAFKA.topics().pollState(), key, value.getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  @DisplayName(
      "S0-26, S0-44: of two polls at the same time one is skipped with 'already in progress'"
          + " (S4-6)")
  void aSecondPollMeanwhileIsRefused() throws Exception {
    var reading = new CountDownLatch(1);
    var mayGoOn = new CountDownLatch(1);
    Source slow =
        (cursor, permission) -> {
          reading.countDown();
          try {
            mayGoOn.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return new PollResult(List.of(), List.of(), "c1", 0);
        };
    ProducerApp app = start(config("one"), false, (config, clock) -> slow);
    var first = CompletableFuture.supplyAsync(() -> app.pollNow(key));
    reading.await();

    assertThat(app.pollNow(key))
        .isEqualTo(
            new PollReport.Skipped(key, new NotPolled(PolledSource.IN_PROGRESS, true, true)));
    mayGoOn.countDown();
    assertThat(first.get()).isInstanceOf(PollReport.Finished.class);
    assertThat(events()).contains(EventType.POLL_SKIPPED);
  }

  @Test
  void aCommandedPollDoesNotWaitForTheInterval() {
    var polls = new AtomicInteger();
    Source source =
        (cursor, permission) -> {
          polls.incrementAndGet();
          return new PollResult(List.of(), List.of(), "c1", 0);
        };
    var _ = start(config("one", Duration.ofDays(1)), true, (config, clock) -> source);
    await().until(() -> polls.get() == 1);

    // A command that comes before the producer listens is not obeyed.
    await()
        .until(() -> {
          var command = new Command.Poll(UUID.randomUUID().toString(), "ada", Instant.EPOCH, "");
          KAFKA.produce(KAFKA.topics().commands(), key, command);
          return events().contains(EventType.COMMAND_DONE);
        });

    assertThat(polls).hasValueGreaterThan(1);
    assertThat(events()).doesNotContain(EventType.COMMAND_REFUSED);
  }

  private ProducerApp start(String data) {
    return started(ProducerApp.onDemand(config(data), KAFKA.settings(), telemetry));
  }

  private ProducerConfig config(String data) {
    return config(data, Duration.ofSeconds(1));
  }

  private ProducerConfig config(String data, Duration interval) {
    var identity = new SourceConfig.Identity(tenant, "web", interval);
    return config(data, new SourceConfig.Jsonl(identity, SourceRules.DEFAULT, file));
  }

  private void write(String... lines) throws IOException {
    Files.writeString(file, String.join("\n", lines) + "\n");
  }

  private static String line(String id, String title, String revision) {
    return "{\"id\":\"%s\",\"title\":\"%s\",\"revision\":\"%s\"}".formatted(id, title, revision);
  }

  private void deleteHistory(String data) throws IOException {
    for (String suffix : new String[] {"", "-wal", "-shm"}) {
      Files.deleteIfExists(folder.resolve(data).resolve("producer.db" + suffix));
    }
  }

  private List<String> titles() {
    return records(KAFKA.topics().workItems())
        .map(record -> {
          Snapshot snapshot = RecordJson.read(record.value(), Snapshot.class);
          String id = record.key().substring(record.key().lastIndexOf('/') + 1);
          return id + " " + snapshot.title() + (snapshot.newest() ? " newest" : " old");
        })
        .toList();
  }

  private List<ConsumerRecord<String, byte[]>> letters() {
    return records(KAFKA.topics().deadLetters()).toList();
  }

  private static <T> T only(List<T> all) {
    assertThat(all).hasSize(1);
    return all.getFirst();
  }
}
