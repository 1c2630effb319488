package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** From the topics to the answer: the request's provider and the ledger's pause meet. */
@Tag("long")
class WhyIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");
  private static final Verdict VERDICT = Sample.verdict();

  @TempDir Path folder;

  @Test
  void whyAnItemWaitsIsAnsweredFromTheLedgerAndItsRequest() throws Exception {
    KAFKA.provision();
    try (var admin = KAFKA.clients("test").admin("topics")) {
      admin
          .createTopics(List.of(new NewTopic(KAFKA.topics().itemState(), 6, (short) 1)))
          .all()
          .get();
    }
    KAFKA.produce(ledger(), "-", new LedgerEntry.Init(3, 45_000, List.of()));
    KAFKA.produce(
        ledger(), "-", new LedgerEntry.Runner("r1", LedgerState.RULES, "A", 4, null, null));
    KAFKA.produce(ledger(), "-", new LedgerEntry.Pause("provider:acme", null, -1, "r1", "limit"));
    KAFKA.produceRaw(KAFKA.topics().itemState(), "a/b/9", RecordJson.bytes(queued()));
    KAFKA.produce(
        KAFKA.topics().sessionRequests(), "a/b/9", Sample.request("q9", 2, T, "acme", snapshot()));
    var telemetry = new Telemetry();
    try (var app = new ConsoleApp(ConsoleConfig.defaults(folder), KAFKA.settings(), telemetry);
        var server =
            AdminServer.start(
                "console.listen", new ListenAddress("127.0.0.1", 0), telemetry, app::health)) {
      app.attach(server);
      app.start();
      assertThat(app.catchUp(PATIENCE)).isTrue();

      assertThat(get(server.url() + "/api/why?key=a/b/9").body())
          .contains("\"reason\":\"provider\"", "provider:acme paused by r1: limit");
      assertThat(get(server.url() + "/item?key=a/b/9").body())
          .contains("provider:acme paused by r1: limit");
      assertThat(get(server.url() + "/api/why?key=a/b/10").statusCode()).isEqualTo(404);

      KAFKA.produceRaw(KAFKA.topics().sessionRequests(), "a/b/9", null);
      assertThat(app.catchUp(PATIENCE)).isTrue();
      try (var view = ConsoleView.open(folder).orElseThrow()) {
        Optional<ItemStatus> why = view.why("a/b/9", Instant.now(), Map.of());
        assertThat(why.orElseThrow().reasons())
            .extracting(ItemStatus.Reason::reason)
            .containsExactly(ItemStatus.Word.ENDING);
      }
    }
  }

  private static HttpResponse<String> get(String url) throws IOException, InterruptedException {
    try (var client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private static String ledger() {
    return KAFKA.topics().sessionLedger();
  }

  private static ItemState queued() {
    var outstanding = new ItemPhase.Outstanding("q9", ItemPhase.Attempts.FIRST, T, null, null);
    return new ItemState(
        ItemState.SCHEMA,
        snapshot(),
        new Position(0, 0),
        null,
        new ItemPhase.Queued(outstanding, VERDICT),
        VERDICT,
        List.of(),
        0,
        0L,
        T);
  }

  private static Snapshot snapshot() {
    return Sample.snapshot("Search is slow", "text");
  }
}
