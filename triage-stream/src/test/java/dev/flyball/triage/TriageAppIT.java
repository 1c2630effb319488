package dev.flyball.triage;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The app on a real broker: exactly once over kill -9. */
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
        .as("each has the verdict of one call")
        .hasSameSizeAs(keys)
        .allMatch(calls -> calls.size() == 1);
    assertThat(verdicts).as("one for each item").isEqualTo(keys.size());

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

  private TriageProcess begin() {
    TriageProcess begun = TriageProcess.start(KAFKA, data);
    running = begun;
    return begun;
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
