package dev.flyball.triage;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.kafka.KafkaFailure;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The app on a real broker: exactly once over kill -9, and a whole session by the ledger. */
final class TriageAppIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir private Path data = Path.of("");
  private @Nullable TriageProcess running;

  @AfterEach
  void endProcess() {
    if (running != null) {
      running.close();
    }
  }

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @Tag("long")
  @Test
  @DisplayName(
      "S0-9, S0-46, S0-55, INV-4: killed at any point, nothing is asked twice but the call in"
          + " flight")
  void killedAndStartedAgainItTriagesNothingTwice() {
    List<String> keys = IntStream.range(0, 20).mapToObj(n -> "acme/kills/" + n).toList();
    int killsLeft = 3;
    TriageProcess process = begin().awaitReady();
    for (String key : keys) {
      publish(key, "crash in fooBar, seen by " + key);
    }
    while (killsLeft > 0) {
      int settledBefore = keys.size() - 6 * killsLeft;
      await().until(() -> triaged("acme/kills/").size() >= settledBefore);
      process.kill();
      killsLeft--;
      process = begin();
    }
    await().until(() -> triaged("acme/kills/").size() >= keys.size());
    assertThat(triaged("acme/kills/")).hasSameSizeAs(keys);
    Set<String> batches = batches("acme/kills/");
    int verdicts = verdicts("acme/kills/");
    assertThat(questions("acme/kills/")).as("each is asked about once").hasSameSizeAs(keys);
    assertThat(answers("acme/kills/").values())
        .as("a verdict that is published again is the one of its one call")
        .hasSameSizeAs(keys)
        .allMatch(calls -> calls.size() == 1);
    assertThat(verdicts)
        .as("verdicts: one for each item, and those of one call again for each kill")
        .isBetween(keys.size(), keys.size() + 3 * TriageProcess.BATCH);

    process.kill();
    begin().awaitReady();
    for (String key : keys) {
      publish(key, "crash in fooBar, seen by " + key);
    }
    await().until(() -> events("acme/kills/", EventType.ITEM_DUPLICATE).size() >= keys.size());
    assertThat(batches("acme/kills/")).isEqualTo(batches);
    assertThat(verdicts("acme/kills/")).isEqualTo(verdicts);
    assertThat(events("acme/kills/", EventType.SESSION_REQUESTED)).hasSameSizeAs(keys);
  }

  @Test
  @DisplayName("INV-6, INV-7: a session's whole life by the ledger; unreadable records on the way")
  void aSessionGoesFromSnapshotToAnalysis() {
    String key = "acme/life/1";
    try (TriageApp app = app()) {
      app.start();
      KAFKA.produceRaw(KAFKA.topics().workItems(), key, "{".getBytes(StandardCharsets.UTF_8));
      KAFKA.produceRaw(KAFKA.topics().sessionLedger(), "-", "{".getBytes(StandardCharsets.UTF_8));
      KAFKA.produceRaw(KAFKA.topics().triageRequests(), key, "{".getBytes(StandardCharsets.UTF_8));
      publish(key, "crash in fooBar");
      SessionRequest request =
          await()
              .until(
                  () -> KAFKA.newest(KAFKA.topics().sessionRequests(), key, SessionRequest.class),
                  Optional::isPresent)
              .orElseThrow();
      runSession(key, request.request());
      await().until(() -> KAFKA.newest(KAFKA.topics().analyses(), key, Analysis.class).isPresent());
      assertThat(events(key, EventType.SESSION_COMPLETED)).hasSize(1);
      assertThat(KAFKA.newest(KAFKA.topics().sessionRequests(), key, SessionRequest.class))
          .isEmpty();
      assertThat(
              KAFKA.newest(KAFKA.topics().itemState(), key, ItemState.class).orElseThrow().phase())
          .isEqualTo(new ItemPhase.Analyzed("session-1"));
      assertThat(KAFKA.values(KAFKA.topics().deadLetters(), DeadLetter.class))
          .extracting(DeadLetter::topic)
          .contains(
              KAFKA.topics().workItems(),
              KAFKA.topics().sessionLedger(),
              KAFKA.topics().triageRequests());
      await().until(() -> app.health().equals(Health.healthy()));
    }
  }

  @Test
  void aWrongTopicIsOneLineThatNamesTopicAndSetting() throws Exception {
    var other = new KafkaFixture(new Topics("wrong."));
    var settings =
        new KafkaSettings(other.topics(), Map.of("bootstrap.servers", KAFKA.bootstrapServers()));
    try (Admin admin = KAFKA.clients("test").admin("wrong")) {
      admin.createTopics(List.of(new NewTopic("wrong.work-items", 2, (short) 1))).all().get();
    }
    try (var app = new TriageApp(TriageConfig.defaults(data), settings, new Telemetry())) {
      assertThatThrownBy(app::start)
          .isInstanceOf(KafkaFailure.class)
          .hasMessageContaining("wrong.work-items");
    }
  }

  private TriageProcess begin() {
    TriageProcess begun = TriageProcess.start(KAFKA, data);
    running = begun;
    return begun;
  }

  private TriageApp app() {
    TriageConfig d = TriageConfig.defaults(data);
    return new TriageApp(
        new TriageConfig(d.data(), 50, Duration.ofMillis(100), d.machine()),
        KAFKA.settings(),
        new Telemetry());
  }

  /** What a runner would write: claim, result, release. */
  private static void runSession(String key, String request) {
    String ledger = KAFKA.topics().sessionLedger();
    KAFKA.produce(ledger, "-", new LedgerEntry.Init(3, 45_000, List.of()));
    long claim =
        KAFKA
            .produce(
                ledger,
                key,
                new LedgerEntry.Claim(
                    request,
                    new Position(0, 0),
                    100,
                    ItemKey.parse(key),
                    1,
                    "session-1",
                    "r1",
                    null,
                    LedgerState.RULES,
                    0))
            .offset();
    EventData data =
        EventData.EMPTY
            .with(Field.SESSION, "session-1")
            .with(Field.TOKEN, new Token(KAFKA.clients("test").topicId(ledger), claim).toString())
            .with(Field.REQUEST, request)
            .with(
                Field.RESULT,
                new SessionResult("abc", "the answer", List.of(), false, "scout", null, null));
    KAFKA.produce(
        new LifecycleEvent(
            "session-1-result",
            EventType.SESSION_RESULT,
            "/runner/r1",
            key,
            Instant.parse("2026-11-21T08:00:00Z"),
            data));
    KAFKA.produce(
        ledger,
        key,
        new LedgerEntry.Release(
            "session-1",
            Outcome.COMPLETED,
            null,
            null,
            0,
            null,
            new Timings(1, 2, 3),
            0,
            0,
            Receipt.notStarted()));
  }

  private static void publish(String key, String content) {
    KAFKA.produce(KAFKA.topics().workItems(), key, Sample.fingerprinted("1", content));
  }

  private static List<LifecycleEvent> events(String prefix, EventType type) {
    return KAFKA.events().stream()
        .filter(e -> e.type() == type && e.subject().startsWith(prefix))
        .toList();
  }

  private static List<LifecycleEvent> triaged(String prefix) {
    return events(prefix, EventType.ITEM_TRIAGED);
  }

  private static Set<String> batches(String prefix) {
    return triaged(prefix).stream()
        .map(e -> e.data().text(Field.BATCH).orElseThrow())
        .collect(Collectors.toSet());
  }

  private static List<String> questions(String prefix) {
    return KAFKA.records(KAFKA.topics().triageRequests()).stream()
        .map(ConsumerRecord::key)
        .filter(key -> key.startsWith(prefix))
        .toList();
  }

  /** The calls that answered each item, by batch. */
  private static Map<String, Set<String>> answers(String prefix) {
    return KAFKA.records(KAFKA.topics().triageVerdicts()).stream()
        .filter(r -> r.key().startsWith(prefix))
        .collect(
            Collectors.groupingBy(
                ConsumerRecord::key,
                Collectors.mapping(
                    r -> RecordJson.read(r.value(), Verdict.class).batch(), Collectors.toSet())));
  }

  private static int verdicts(String prefix) {
    return (int)
        KAFKA.records(KAFKA.topics().triageVerdicts()).stream()
            .filter(r -> r.key().startsWith(prefix))
            .count();
  }
}
