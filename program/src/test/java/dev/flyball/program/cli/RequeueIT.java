package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.topic.Position;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.TriageApp;
import dev.flyball.triage.TriageConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@Timeout(300)
@DisplayName("One command brings back every item that died")
final class RequeueIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  /** More than two pages of the command, and more than the console keeps in its list. */
  private static final int ITEMS = 2_500;

  private static final List<String> KEYS =
      IntStream.range(0, ITEMS).mapToObj(n -> "acme/dead/" + n).toList();

  @TempDir Path folder;

  @Test
  void allOf2500ComeBackOnceAndASecondCommandChangesNothing() throws Exception {
    KAFKA.provision();
    Path settings =
        Files.writeString(
            folder.resolve("flyball.yaml"),
            "topics: {prefix: " + KAFKA.topics().prefix() + ", replication: 1}\n");
    var triage =
        new TriageApp(
            TriageConfig.defaults(folder.resolve("triage")), KAFKA.settings(), new Telemetry());
    triage.start();
    try {
      KEYS.forEach(key ->
          KAFKA.produce(
              KAFKA.topics().workItems(), key, Sample.fingerprinted("1", "crash of " + key)));
      Map<String, String> first = awaitRequests();
      KAFKA.produce(ledger(), "-", new LedgerEntry.Init(3, 45_000, List.of()));
      first.forEach(RequeueIT::dies);
      await().until(() -> KAFKA.records(KAFKA.topics().deadLetters()).size() == ITEMS);

      var answer = requeue(settings);

      assertThat(answer.code()).as(answer.err()).isZero();
      assertThat(answer.out().lines().filter(line -> line.contains("\trequeue\t"))).hasSize(ITEMS);
      Map<String, String> second = awaitRequests();
      assertThat(second.values()).doesNotContainAnyElementsOf(first.values());

      var again = requeue(settings);

      assertThat(again.code()).as("none is dead any more: " + again.err()).isZero();
      assertThat(awaitRequests()).isEqualTo(second);
    } finally {
      triage.stop();
    }
  }

  /** The current request of each item, once all have one. */
  private static Map<String, String> awaitRequests() {
    return await().until(RequeueIT::requests, found -> found.size() == ITEMS);
  }

  private static Map<String, String> requests() {
    var found = new HashMap<String, String>();
    for (ConsumerRecord<String, byte[]> each : KAFKA.records(KAFKA.topics().sessionRequests())) {
      if (each.value() == null) {
        found.remove(each.key());
      } else {
        found.put(each.key(), RecordJson.read(each.value(), SessionRequest.class).request());
      }
    }
    return found;
  }

  /** What a runner writes of a session that ends because the item itself is at fault. */
  private static void dies(String key, String request) {
    String session = "of-" + request;
    KAFKA.produce(
        ledger(),
        key,
        new LedgerEntry.Claim(
            request,
            new Position(0, 0),
            100,
            ItemKey.parse(key),
            1,
            session,
            "r1",
            null,
            LedgerState.RULES,
            0));
    KAFKA.produce(
        ledger(),
        key,
        new LedgerEntry.Release(
            session,
            Outcome.FAILED,
            "no such item",
            new Failure(Failure.Kind.POISON, "no-such-item"),
            1,
            null,
            new Timings(1, 2, 3),
            10,
            0,
            new Receipt("A", 1, 1, List.of(), 0)));
  }

  private CommandLineFixture.Answer requeue(Path settings) {
    return CommandLineFixture.flyball(
        "dead-letters",
        "requeue",
        "--config",
        settings.toString(),
        "--bootstrap-servers",
        KAFKA.bootstrapServers(),
        "--why",
        "repaired",
        "--wait",
        "120s");
  }

  private static String ledger() {
    return KAFKA.topics().sessionLedger();
  }

  private static ConditionFactory await() {
    return KafkaFixture.await().atMost(Duration.ofSeconds(90));
  }
}
