package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.ChatVerdicts;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.TriageApp;
import dev.flyball.triage.TriageConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("long")
@Timeout(180)
@DisplayName("Items judged by another configuration, while nothing moves")
final class TriageShadowIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();

  private static final int SESSIONS = 4;
  private static final int SKIPPED = 2;
  private static final int DECIDED = SESSIONS + SKIPPED;

  @TempDir Path folder;
  private Map<String, Object> before = Map.of();

  @BeforeAll
  static void decideByRules(@TempDir Path data) {
    var triage = new TriageApp(TriageConfig.defaults(data), KAFKA.settings(), new Telemetry());
    triage.start();
    for (String item : List.of("1", "2", "3", "6")) {
      publish(item, "1", List.of("needs-analysis"));
    }
    publish("4", "1", List.of());
    publish("5", "1", List.of("no-analysis"));
    awaitDecided(DECIDED);
    publish("1", "2", List.of("needs-analysis"));
    awaitDecided(DECIDED + 1);
    triage.stop();
  }

  @BeforeEach
  void remember() throws Exception {
    before = everything();
  }

  @Test
  void aPaidModelIsBookedAndASpentBudgetEndsTheRun() throws Exception {
    try (var models = FaultServer.http()) {
      models.otherwise(request -> ChatVerdicts.of(request.body(), 0));
      String other =
          "triage: {classifier: messages, api: chat, model: small, url: '"
              + models.url()
              + "', prices: {input: 100, output: 100}, batch: {items: 4}, budget: {usd: 0.01}}\n";

      var answer = shadow(0, other);

      assertThat(answer.out())
          .contains("snapshots that both skip\t" + SKIPPED)
          .contains("sessions only now\t" + SESSIONS)
          .contains("triage calls\t")
          .contains("triage USD\t0\t0.24");
      assertThat(answer.err()).contains("saves sessions: 4").contains("cost unknown");
      assertThat(models.requests()).hasSize(2);
      assertThat(changed()).containsExactly(KAFKA.topics().sessionLedger());
      assertThat(KAFKA.values(KAFKA.topics().sessionLedger(), LedgerEntry.class))
          .filteredOn(entry -> entry instanceof LedgerEntry.Spend it && it.costMicros() > 0)
          .hasSize(2);

      before = everything();
      var spent = shadow(1, other + "budget: {daily: {usd: 0.24}}\n");

      assertThat(spent.out()).isEmpty();
      assertThat(spent.err()).hasLineCount(1).contains("budget");
      assertThat(models.requests()).as("no further call").hasSize(2);
      assertThat(changed()).isSubsetOf(KAFKA.topics().sessionLedger());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--since, 0s, 0, 0",
    "--since, 999999999999d, " + SESSIONS + ", " + SKIPPED,
    "--set, topics.prefix=none., 0, 0",
  })
  @DisplayName(
      "the same rules decide the same; what changed within the age is compared; a Kafka without any"
          + " topic has nothing")
  void onlyWhatIsThereIsCompared(String option, String value, int sessions, int skipped)
      throws Exception {
    JsonNode found =
        RecordJson.parse(shadow(0, "triage: {classifier: rules}\n", "--json", option, value).out());

    assertThat(found.path("compared").asInt()).isEqualTo(sessions + skipped);
    assertThat(found.path("bothSession").asInt()).isEqualTo(sessions);
    assertThat(found.path("bothSkip").asInt()).isEqualTo(skipped);
    assertThat(found.path("changed")).isEmpty();
    assertThat(found.path("undecided")).isEmpty();
    assertThat(changed()).isEmpty();
  }

  private CommandLineFixture.Answer shadow(int code, String yaml, String... more)
      throws IOException {
    Path own =
        Files.writeString(
            folder.resolve("own.yaml"),
            "topics: {prefix: " + KAFKA.topics().prefix() + ", replication: 1}\n");
    Path other = Files.writeString(folder.resolve("other.yaml"), yaml);
    var all = new ArrayList<>(List.of("triage", "--shadow", other.toString()));
    all.addAll(List.of("--config", own.toString(), "--bootstrap-servers"));
    all.addAll(List.of(KAFKA.bootstrapServers(), "--data", folder.resolve("data").toString()));
    all.addAll(List.of(more));
    var answer = CommandLineFixture.flyball(all.toArray(String[]::new));
    assertThat(answer.code()).as(answer.err()).isEqualTo(code);
    return answer;
  }

  /** The topics whose end moved, and the groups whose offsets did. */
  private List<String> changed() throws Exception {
    Map<String, Object> now = everything();
    return Stream.concat(before.keySet().stream(), now.keySet().stream())
        .distinct()
        .filter(name -> !Objects.equals(before.get(name), now.get(name)))
        .toList();
  }

  /** The ends of every topic by its name, and the offsets of every group by its id. */
  private static Map<String, Object> everything() throws Exception {
    String prefix = KAFKA.topics().prefix();
    var all = new HashMap<String, Object>();
    try (Admin admin = KAFKA.clients("test").admin("everything");
        var consumer = KAFKA.clients("test").consumer("everything")) {
      consumer.listTopics().values().stream()
          .filter(topic ->
              topic.getFirst().topic().startsWith(prefix.substring(0, prefix.length() - 1)))
          .forEach(topic ->
              all.put(
                  topic.getFirst().topic(),
                  consumer.endOffsets(
                      topic.stream()
                          .map(each -> new TopicPartition(each.topic(), each.partition()))
                          .toList())));
      for (var group : admin.listGroups().all().get()) {
        all.put(
            "group " + group.groupId(),
            admin.listConsumerGroupOffsets(group.groupId()).partitionsToOffsetAndMetadata().get());
      }
    }
    return all;
  }

  private static void publish(String id, String revision, List<String> tags) {
    Snapshot sample = Sample.fingerprinted(revision, "text " + id + " " + revision);
    var tagged = (ObjectNode) RecordJson.tree(sample);
    tagged.set("tags", RecordJson.tree(tags));
    KAFKA.produce(KAFKA.topics().workItems(), "acme/past/" + id, tagged);
  }

  private static void awaitDecided(int count) {
    KafkaFixture.await()
        .until(() ->
            KAFKA.events().stream()
                    .filter(event ->
                        event.type() == EventType.SESSION_REQUESTED
                            || event.type() == EventType.ITEM_SKIPPED)
                    .count()
                == count);
  }
}
