package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.broker.EmbeddedBroker;
import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.producer.publish.NotPolled;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.http.TrackerLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The producer against a real broker; each test has its own topics and source. */
class ProducerAppIT {
  private static final AtomicInteger TESTS = new AtomicInteger();
  private static final PollClocks CLOCKS =
      new PollClocks(Duration.ofSeconds(2), Duration.ofMillis(400), Duration.ofMillis(400));
  private static EmbeddedBroker broker;
  @TempDir static Path brokerFolder;

  @TempDir Path folder;
  private Path file;
  private KafkaSettings kafka;
  private KafkaClients clients;
  private Topics topics;
  private final List<ProducerApp> apps = new ArrayList<>();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start(BrokerConfig.in(brokerFolder).opened());
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void setUp() {
    file = folder.resolve("items.jsonl");
    topics = new Topics("t" + TESTS.incrementAndGet() + ".");
    kafka = new KafkaSettings(topics, Map.of("bootstrap.servers", broker.bootstrapServers()));
    clients = new KafkaClients(kafka, "test");
    new TopicProvisioner(clients)
        .provision(
            List.of(
                topics.spec(topics.workItems()),
                topics.spec(topics.pollState()),
                topics.spec(topics.commands()),
                topics.spec(topics.sessionEvents()),
                topics.spec(topics.deadLetters())));
  }

  @AfterEach
  void stopApps() {
    apps.forEach(ProducerApp::stop);
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
    assertThat(snapshots()).containsExactlyInAnyOrder("1 a old", "2 b newest", "1 a2 newest");

    assertThat(poll(app).published()).isEmpty();
    assertThat(poll(app).duplicates()).isEqualTo(3);

    write(line("1", "a", "1"), line("2", "b", "2"), line("1", "a2", "2"));
    PollReport.Finished noOp = poll(app);
    assertThat(noOp.published()).singleElement().extracting(p -> p.key().id()).isEqualTo("2");
    assertThat(noOp.published().getFirst().fingerprint())
        .isEqualTo(first.published().get(1).fingerprint());

    write(line("1", "a", "1"), line("2", "b", "2"), line("1", "a2", "2"), line("1", "a3", "3"));
    assertThat(poll(app).published()).singleElement().extracting(p -> p.revision()).isEqualTo("3");
    assertThat(snapshots()).hasSize(5);
    assertThat(events()).contains(EventType.POLL_STARTED, EventType.POLL_FINISHED);
  }

  // MC-8
  @Test
  void everyRecordIsReadable() throws IOException {
    write(line("1", "a", "1"));
    poll(start("one"));

    ConsumerRecord<String, byte[]> record = read(topics.workItems()).getFirst();
    assertThat(record.key()).isEqualTo("default/items/1");
    assertThat(EventHeaders.text(record.headers(), EventHeaders.SCHEMA)).isEqualTo("work-item/1");
    ConsumerRecord<String, byte[]> state = read(topics.pollState()).getLast();
    assertThat(state.key()).isEqualTo("default/items");
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

    assertThat(snapshots()).hasSize(3);
    DeadLetter letter = RecordJson.read(only(read(topics.deadLetters())).value(), DeadLetter.class);
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
    assertThat(read(topics.deadLetters())).hasSize(1);
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
        clients.producer(
            "zombie", Map.of("transactional.id", topics.prefix() + "producer/default/items"));
    zombie.initTransactions();
    zombie.beginTransaction();
    var _ =
        zombie.send(
            new ProducerRecord<>(topics.workItems(), "default/items/1", new byte[] {'{', '}'}));
    zombie.flush();

    assertThat(poll(start("one")).published()).hasSize(2);

    assertThat(snapshots()).containsExactlyInAnyOrder("1 a newest", "2 b newest");
    assertThatThrownBy(zombie::commitTransaction)
        .isInstanceOfAny(ProducerFencedException.class, InvalidProducerEpochException.class);
    zombie.close(Duration.ZERO);
  }

  @Test
  void whatIsNoPollStateIsADeadLetterAndTheSourceIsPolled() throws Exception {
    write(line("1", "a", "1"));
    strange("{nonsense", "{\"epoch\":1,\"beat\":2}");
    started(new ProducerApp(config("one"), kafka, new Telemetry(), new TrackerLimits()));
    await().atMost(Duration.ofSeconds(30)).until(() -> snapshots().size() == 1);
    // The lease's holder does not need to read its record, and reports this one all the same.
    strange("null");
    await().atMost(Duration.ofSeconds(30)).until(() -> read(topics.deadLetters()).size() == 3);

    write(line("1", "b", "2"));
    await().atMost(Duration.ofSeconds(30)).until(() -> snapshots().size() == 2);
    List<DeadLetter> letters =
        read(topics.deadLetters()).stream()
            .map(record -> RecordJson.read(record.value(), DeadLetter.class))
            .toList();
    assertThat(letters).extracting(DeadLetter::offset).startsWith(0L, 1L).hasSize(3);
    assertThat(letters)
        .allSatisfy(letter -> {
          assertThat(letter.topic()).isEqualTo(topics.pollState());
          assertThat(letter.partition()).isZero();
          assertThat(letter.reason()).isNotBlank();
        });
  }

  private void strange(String... values) throws Exception {
    try (var stranger = clients.producer("stranger")) {
      for (String value : values) {
        byte[] bytes = value.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        stranger.send(new ProducerRecord<>(topics.pollState(), "default/items", bytes)).get();
      }
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
          return new PollResult.Read(List.of(), List.of(), "c1", 0);
        };
    ProducerApp app =
        started(
            new ProducerApp(config("one"), kafka, new Telemetry(), false, (config, clock) -> slow));
    var first = CompletableFuture.supplyAsync(() -> app.pollNow("default/items"));
    reading.await();

    assertThat(app.pollNow("default/items"))
        .isEqualTo(
            new PollReport.Skipped(
                "default/items", new NotPolled.Elsewhere(PolledSource.IN_PROGRESS, true)));
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
          return new PollResult.Read(List.of(), List.of(), "c1", 0);
        };
    var _ =
        started(
            new ProducerApp(
                config("one", Duration.ofDays(1)),
                kafka,
                new Telemetry(),
                true,
                (config, clock) -> source));
    await().until(() -> polls.get() == 1);

    // A command that comes before the producer listens is not obeyed.
    await()
        .until(() -> {
          command(new Command.Poll(UUID.randomUUID().toString(), "ada", Instant.EPOCH, ""));
          return events().contains(EventType.COMMAND_DONE);
        });

    assertThat(polls).hasValueGreaterThan(1);
    assertThat(events()).doesNotContain(EventType.COMMAND_REFUSED);
  }

  private void command(Command command) throws Exception {
    try (var operator = clients.producer("operator")) {
      operator
          .send(new ProducerRecord<>(topics.commands(), "default/items", RecordJson.bytes(command)))
          .get();
    }
  }

  @Test
  void aMissingFileIsAFailedPollAndDegradesHealth() throws IOException {
    ProducerApp app = start("one");

    assertThat(app.pollNow("default/items"))
        .isInstanceOfSatisfying(
            PollReport.Failed.class, it -> assertThat(it.reason()).contains(file.toString()));
    assertThat(app.health().reasons()).anyMatch(reason -> reason.contains(file.toString()));
    write(line("1", "a", "1"));
    poll(app);
    assertThat(app.health().reasons()).isEmpty();
  }

  private ProducerApp start(String data) {
    return started(ProducerApp.onDemand(config(data), kafka, new Telemetry()));
  }

  private ProducerApp started(ProducerApp app) {
    app.start();
    apps.add(app);
    return app;
  }

  private ProducerConfig config(String data) {
    return config(data, Duration.ofSeconds(1));
  }

  private ProducerConfig config(String data, Duration interval) {
    var source =
        new SourceConfig.Jsonl(
            new SourceConfig.Identity("default", "items", interval), SourceRules.DEFAULT, file);
    return new ProducerConfig(
        folder.resolve(data),
        List.of(source),
        CLOCKS,
        BreakerLimits.DEFAULT,
        ProducerConfig.DEFAULT_TEXT_LIMIT,
        ProducerConfig.DEFAULT_FINGERPRINT_FIELDS);
  }

  private static PollReport.Finished poll(ProducerApp app) {
    return Polls.finished(app, "default/items");
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

  private List<String> snapshots() {
    return read(topics.workItems()).stream()
        .map(record -> {
          Snapshot snapshot = RecordJson.read(record.value(), Snapshot.class);
          String id = record.key().substring(record.key().lastIndexOf('/') + 1);
          return id + " " + snapshot.title() + (snapshot.newest() ? " newest" : " old");
        })
        .toList();
  }

  private List<EventType> events() {
    return read(topics.sessionEvents()).stream()
        .map(record -> EventHeaders.typeOf(record.headers()).orElseThrow())
        .toList();
  }

  private static <T> T only(List<T> all) {
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  private List<ConsumerRecord<String, byte[]>> read(String topic) {
    try (KafkaConsumer<String, byte[]> consumer = clients.consumer("read")) {
      var partitions =
          IntStream.range(0, topics.spec(topic).partitions())
              .mapToObj(partition -> new TopicPartition(topic, partition))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      var ends = consumer.endOffsets(partitions);
      var records = new ArrayList<ConsumerRecord<String, byte[]>>();
      while (partitions.stream()
          .anyMatch(p -> consumer.position(p) < Objects.requireNonNull(ends.get(p)))) {
        consumer.poll(Duration.ofMillis(200)).forEach(records::add);
      }
      return records;
    }
  }
}
