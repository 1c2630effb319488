package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.session.Receipt;
import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The metrics topic counts every event exactly once")
class MetricsServiceIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();
  private static final int SESSIONS = 60;

  @TempDir Path folder;
  private final Instant start = Instant.now().minusSeconds(7_200).truncatedTo(ChronoUnit.HOURS);

  @BeforeEach
  void provision() {
    KAFKA.provision();
  }

  @Test
  void windowsAreTheSameAfterAKillAndAfterAReplay() throws Exception {
    Path data = folder.resolve("killed");
    Process first = ConsoleKilledIT.start(KAFKA, data);
    try {
      for (int i = 0; i < 30; i++) {
        session(i);
      }
      KafkaFixture.await().until(() -> !windows(0).isEmpty());
      for (int i = 30; i < 50; i++) {
        session(i);
      }
    } finally {
      // Anywhere within its work: what it has read may not be written yet.
      first.destroyForcibly().waitFor();
    }
    for (int i = 50; i < SESSIONS; i++) {
      session(i);
    }
    readsAll(data);
    Map<String, MetricWindow> live = windows(0);
    long records = KAFKA.records(KAFKA.topics().metrics()).size();
    assertThat(live.get("1h/" + start + "/acme"))
        .satisfies(hour -> {
          assertThat(hour.ended()).isEqualTo(Map.of("completed", (long) SESSIONS));
          assertThat(hour.claimed()).isEqualTo(SESSIONS);
          assertThat(hour.concurrencyPeak()).isEqualTo(3);
          assertThat(hour.costMicros()).isEqualTo(60_000);
          assertThat(hour.counts()).isEqualTo(Map.of("item.changed", (long) SESSIONS));
        });
    assertThat(records).as("240 events, not one record each").isLessThan(240);

    readsAll(folder.resolve("made-again"));
    assertThat(windows(records)).isEqualTo(live);

    try (var view = ConsoleView.open(data).orElseThrow()) {
      assertThat(view.windows("acme", "1h", start))
          .containsExactly(live.get("1h/" + start + "/acme"));
      assertThat(view.windows(null, "1h", start)).isNotEmpty();
      assertThat(view.windows("acme", "1h", start.plusSeconds(1))).isEmpty();
      assertThat(view.windows("else", "1h", start)).isEmpty();
    }
  }

  /** Lets a service's console read all that there is, and write all that follows. */
  private static void readsAll(Path data) {
    for (int round = 0; round < 2; round++) {
      try (var app =
          ConsoleApp.service(
              ConsoleConfig.defaults(data),
              KAFKA.settings(),
              new Telemetry(),
              NotifyConfig.none(),
              HttpClient::newHttpClient)) {
        app.start();
        // The second one reads what the first one has written at its end.
        assertThat(app.catchUp(Duration.ofSeconds(30))).isTrue();
        assertThat(app.health().ready()).isTrue();
      }
    }
  }

  /** Three sessions at a time, each a minute long, of items in all partitions. */
  private void session(int i) {
    String item = "acme/web/" + i;
    Instant claimed = start.plusSeconds(i / 3 * 60L).plusMillis(i % 3);
    Instant ended = claimed.plusSeconds(59);
    EventData session = EventData.EMPTY.with(Field.SESSION, "s" + i);
    KAFKA.produce(event(EventType.ITEM_CHANGED, item, claimed, EventData.EMPTY));
    KAFKA.produce(event(EventType.SESSION_CLAIMED, item, claimed, session));
    KAFKA.produce(event(EventType.SESSION_PROGRESSED, item, claimed.plusSeconds(30), session));
    KAFKA.produce(
        event(
            EventType.SESSION_COMPLETED,
            item,
            ended,
            session
                .with(Field.OUTCOME, "completed", Field.COST_MICROS, 1_000)
                .with(Field.RUNNING_MS, 59_000 + i, Field.WAITING_MS, i)
                .with(Field.RECEIPT, new Receipt("A", 1 + i % 9, 0, List.of(), 0))));
  }

  private static LifecycleEvent event(EventType type, String subject, Instant at, EventData data) {
    return new LifecycleEvent(subject + type + at, type, "/triage", subject, at, data);
  }

  /** The newest record of each key of one tenant, of the records from this one on. */
  private static Map<String, MetricWindow> windows(long first) {
    return KAFKA.records(KAFKA.topics().metrics()).stream()
        .skip(first)
        .filter(record -> record.key().endsWith("/acme"))
        .collect(
            Collectors.toMap(
                record -> record.key(),
                record -> RecordJson.read(record.value(), MetricWindow.class),
                (older, newer) -> newer,
                TreeMap::new));
  }
}
