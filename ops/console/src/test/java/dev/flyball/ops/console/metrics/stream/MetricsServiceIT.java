package dev.flyball.ops.console.metrics.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.session.Receipt;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.console.ConsoleConfig;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The metrics topic counts every event exactly once")
class MetricsServiceIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();
  private static final Duration TICK = Duration.ofMillis(200);
  private static final int SESSIONS = 60;

  @TempDir Path folder;
  private final Instant start = Instant.now().minusSeconds(7_200).truncatedTo(ChronoUnit.HOURS);

  @BeforeEach
  void provision() {
    KAFKA.provision();
  }

  @Tag("long")
  @Test
  void windowsAreTheSameAfterAKillAndAfterAReplay() throws Exception {
    Process first = process(folder.resolve("a"));
    try {
      for (int i = 0; i < 30; i++) {
        session(i);
      }
      await().until(() -> !windows().isEmpty());
      for (int i = 30; i < 50; i++) {
        session(i);
      }
    } finally {
      // In the middle of a transaction: what it has read was not written yet.
      first.destroyForcibly().waitFor();
    }
    try (var service = service(folder.resolve("a"))) {
      for (int i = 50; i < SESSIONS; i++) {
        session(i);
      }
      service.start();
      // The broker takes 45 s to notice that the first one is dead.
      await().atMost(Duration.ofMinutes(3)).until(() -> ended() == SESSIONS);
      assertThat(service.health().ready()).isTrue();
    }
    Map<String, MetricWindow> live = windows();
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

    forgetEverything();
    try (var service = service(folder.resolve("b"))) {
      service.start();
      await().untilAsserted(() -> assertThat(windowsFrom(records)).isEqualTo(live));
    }
  }

  @Test
  void theConsoleKeepsTheWindowsForItsView() {
    var config = ConsoleConfig.defaults(folder.resolve("console"));
    try (var app =
        ConsoleApp.service(
            config,
            KAFKA.settings(),
            new Telemetry(),
            NotifyConfig.none(),
            HttpClient::newHttpClient)) {
      app.start();
      KAFKA.produce(event(EventType.ITEM_CHANGED, "view/web/1", start, EventData.EMPTY));
      try (var view =
          await()
              .until(() -> ConsoleView.open(config.data()), it -> it.isPresent())
              .orElseThrow()) {
        List<MetricWindow> found =
            await().until(() -> view.windows("view", "1m", start), all -> !all.isEmpty());

        assertThat(found)
            .singleElement()
            .satisfies(window -> assertThat(window.counts()).isEqualTo(Map.of("item.changed", 1L)));
        assertThat(view.windows(null, "1m", start)).containsAll(found);
        assertThat(view.windows("view", "1m", start.plusSeconds(60))).isEmpty();
        assertThat(view.windows("else", "1m", start)).isEmpty();
      }
      assertThat(app.health().ready()).isTrue();
    }
  }

  private static Process process(Path folder) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path"),
            FoldMain.class.getName(),
            KAFKA.bootstrapServers(),
            KAFKA.topics().prefix(),
            folder.toString(),
            TICK.toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static MetricsService service(Path folder) {
    return new MetricsService(new KafkaClients(KAFKA.settings(), "metrics"), folder, TICK);
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

  private long ended() {
    MetricWindow hour = windows().get("1h/" + start + "/acme");
    return hour == null ? 0 : hour.ended().getOrDefault("completed", 0L);
  }

  private static Map<String, MetricWindow> windows() {
    return windowsFrom(0);
  }

  /** The newest record of each key of one tenant, of the records from this one on. */
  private static Map<String, MetricWindow> windowsFrom(long first) {
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

  /** What an operator does to have everything counted again. */
  private static void forgetEverything() throws Exception {
    String group = KAFKA.topics().metricsApplicationId();
    try (Admin admin = KAFKA.clients("test").admin("reset")) {
      await()
          .ignoreExceptions()
          .until(() -> {
            admin.deleteStreamsGroups(List.of(group)).all().get();
            return true;
          });
      List<String> internal =
          admin.listTopics().names().get().stream()
              .filter(name -> name.startsWith(group + "-"))
              .toList();
      assertThat(internal).hasSize(2);
      admin.deleteTopics(internal).all().get();
      await().until(() -> admin.listTopics().names().get().stream().noneMatch(internal::contains));
    }
  }

  private static ConditionFactory await() {
    return KafkaFixture.await();
  }
}
