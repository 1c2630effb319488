package dev.flyball.ops.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.console.notify.HookAddress;
import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
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
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleAppIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path folder;

  @BeforeAll
  static void provision() {
    KAFKA.produce(ledger(), "-", new LedgerEntry.Init(3, 45_000, List.of()));
  }

  // MC-7, S0-15, S0-56
  @Order(1)
  @Test
  void whatHappensIsSeenOnceOverRestartsAndOverHttp() throws Exception {
    var telemetry = new Telemetry();
    KAFKA.produce(ledger(), "a/b/1", claim("s1"));
    KAFKA.produce(event(EventType.SESSION_SPAWNED, "s1", EventData.EMPTY.with(Field.PID, 42)));
    try (var app = new ConsoleApp(ConsoleConfig.defaults(folder), KAFKA.settings(), telemetry)) {
      app.start();
      assertThat(app.catchUp(PATIENCE)).isTrue();
      try (var view = ConsoleView.open(folder).orElseThrow()) {
        assertThat(view.ps(Instant.now(), Duration.ofMinutes(10)))
            .singleElement()
            .satisfies(session -> {
              assertThat(session.session()).isEqualTo("s1");
              assertThat(session.pid()).isEqualTo(42L);
              assertThat(session.limitMs()).isEqualTo(600_000);
            });
      }
      KAFKA.produce(
          event(
              EventType.SESSION_COMPLETED,
              "s1",
              EventData.EMPTY.with(Field.COST_MICROS, 250_000).with(Field.DESERVED, "true")));
      KAFKA.produce(event(EventType.ITEM_DUPLICATE, "s1", EventData.EMPTY));
      KAFKA.produce(ledger(), "a/b/1", new LedgerEntry.Expire("s1", 1));
      assertThat(app.catchUp(PATIENCE)).isTrue();
      assertThat(app.health().ready()).isTrue();
    }

    var again = new Telemetry();
    try (var app = new ConsoleApp(ConsoleConfig.defaults(folder), KAFKA.settings(), again);
        var server =
            AdminServer.start(
                "console.listen", new ListenAddress("127.0.0.1", 0), again, app::health)) {
      app.attach(server, ConsoleAccess.everybody(), "", Map.of());
      app.start();
      assertThat(app.catchUp(PATIENCE)).isTrue();
      try (var view = ConsoleView.open(folder).orElseThrow()) {
        assertThat(view.ps(Instant.now(), Duration.ofMinutes(10)))
            .extracting(RunningSession::session)
            .isEmpty();
        assertThat(view.summary().ended()).isEqualTo(Map.of("completed", 1L));
        assertThat(view.summary().costMicros()).isEqualTo(250_000);
        assertThat(view.summary().cap()).isEqualTo(3);
        assertThat(view.item("a/b/1").orElseThrow().events()).hasSize(3);
      }
      assertThat(again.scrape()).contains("flyball_dead_letters_total 0.0");
      KAFKA.produceRaw(KAFKA.topics().analyses(), "a/b/1", "{".getBytes(UTF_8));
      await()
          .atMost(PATIENCE)
          .until(() -> again.scrape().contains("flyball_dead_letters_total 1.0"));
      await()
          .atMost(PATIENCE)
          .until(() ->
              again.scrape().contains("flyball_sessions_ended_total{outcome=\"completed\"} 1.0"));
      assertThat(again.scrape())
          .contains(
              "flyball_cost_usd_total 0.25",
              "flyball_saved_usd_total{by=\"dedup\"} 0.25",
              "flyball_sessions_deserved_total{answer=\"true\"} 1.0",
              "flyball_sessions_cap 3.0",
              "flyball_backlog_items 0.0");
      HttpResponse<String> page = get(server.url() + "/");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body()).contains("0 <small>of 3</small>");
      assertThat(page.headers().firstValue("Content-Security-Policy")).hasValue(PageFrame.POLICY);
      assertThat(get(server.url() + "/api/summary").body()).contains("\"cap\":3");
      assertThat(get(server.url() + "/item?key=a/b/1").body()).contains("Session completed");
      assertThat(get(server.url() + "/readyz").statusCode()).isEqualTo(200);
    }
  }

  /** Whoever waits for the console waits for what is there, not for what comes meanwhile. */
  @Order(2)
  @Test
  void itCatchesUpWhileSessionsKeepWriting() throws Exception {
    var done = new AtomicBoolean();
    Thread writer =
        Thread.ofVirtual()
            .start(() -> {
              for (int n = 0; !done.get(); n++) {
                KAFKA.produce(ledger(), "a/b/1", new LedgerEntry.Expire("s" + n, 1));
              }
            });
    try (var app =
        new ConsoleApp(ConsoleConfig.defaults(folder), KAFKA.settings(), new Telemetry())) {
      app.start();
      for (int n = 0; n < 5; n++) {
        assertThat(app.catchUp(PATIENCE)).isTrue();
      }
    } finally {
      done.set(true);
      writer.join();
    }
  }

  @Order(3)
  @Test
  void spansReachACollectorThatWasAwayForAMoment() {
    try (var collector =
            FaultServer.http()
                .then(FaultReply.status(503, Map.of()))
                .otherwise(_ -> FaultReply.status(200, Map.of()));
        var app =
            new ConsoleApp(
                ConsoleConfig.defaults(folder),
                KAFKA.settings(),
                new Telemetry(),
                NotifyConfig.none(),
                collector.url(),
                HttpClient::newHttpClient)) {
      app.start();
      KafkaFixture.await()
          .untilAsserted(() -> {
            // Its group begins at the end, so only what follows its first assignment is seen.
            KAFKA.produce(
                event(EventType.ITEM_CHANGED, "x", EventData.EMPTY.with(Field.REVISION, "1")));
            assertThat(collector.requests())
                .hasSizeGreaterThan(1)
                .allSatisfy(request -> {
                  assertThat(request.path()).isEqualTo("/v1/traces");
                  assertThat(request.body()).contains("\"resourceSpans\"", "\"traceId\"");
                });
          });
    }
  }

  @Order(3)
  @Test
  void anInvariantThatTheConsoleSeesBrokenReachesATarget() {
    try (var slack = FaultServer.http().otherwise(_ -> FaultReply.status(200, Map.of()));
        var app =
            new ConsoleApp(
                ConsoleConfig.defaults(folder),
                KAFKA.settings(),
                new Telemetry(),
                new NotifyConfig(List.of(target(slack)), null),
                null,
                HttpClient::newHttpClient)) {
      app.start();
      KAFKA.produce(event(EventType.SESSION_COMPLETED, "twice", EventData.EMPTY));
      KAFKA.produce(event(EventType.SESSION_COMPLETED, "twice", EventData.EMPTY));

      KafkaFixture.await()
          .untilAsserted(() ->
              assertThat(slack.requests())
                  .singleElement()
                  .satisfies(request ->
                      assertThat(request.body()).contains("*Invariant", "terminal event")));
    }
  }

  private static NotifyTarget target(FaultServer server) {
    return new NotifyTarget(
        "ops",
        NotifyTarget.Type.SLACK,
        Set.of(Notification.Kind.TROUBLE),
        null,
        () -> HookAddress.parse(server.url() + "/s"),
        Optional::empty);
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

  private static LedgerEntry claim(String session) {
    return Sample.claim("a/b/1", "q1", session);
  }

  private static LifecycleEvent event(EventType type, String session, EventData data) {
    return new LifecycleEvent(
        session + type,
        type,
        "/runner/r1",
        "a/b/1",
        Instant.now(),
        data.with(Field.SESSION, session));
  }
}
