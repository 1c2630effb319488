package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A tracker that fails, over restarts and takeovers; each test has a tenant. */
@Tag("long")
@DisplayName("S0-32, S0-33: polls of a tracker that fails pause, whichever producer polls it")
class TroubleIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();
  private static final AtomicInteger TESTS = new AtomicInteger();
  private static final TrackerFailure DOWN =
      TrackerFailure.of(Category.UNREACHABLE, "tracker.test answered 503; wait until it is back");

  @TempDir Path folder;
  private final String tenant = "trouble" + TESTS.incrementAndGet();
  private final String key = tenant + "/a";
  private final DeltaTracker tracker = new DeltaTracker(tenant, "a");
  private final Telemetry telemetry = new Telemetry();
  private final List<ProducerApp> apps = new ArrayList<>();

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @AfterEach
  void stop() {
    apps.forEach(ProducerApp::stop);
  }

  @Test
  @DisplayName("S0-5: neither a restart nor a takeover asks a tracker whose breaker is open")
  void anOpenBreakerIsOpenForTheNextProcessToo() {
    tracker.failure = DOWN;
    ProducerApp first = start("one", false);
    for (int i = 0; i < 3; i++) {
      assertThat(first.pollNow(key)).isEqualTo(new PollReport.Failed(key, DOWN.reason()));
    }
    assertRefused(first);
    assertThat(first.health().reasons())
        .singleElement()
        .satisfies(it ->
            assertThat(it)
                .startsWith("source " + key + ": breaker open for another ")
                .endsWith(DOWN.reason()));
    first.stop();

    assertRefused(start("one", false));
    assertRefused(start("two", false));

    assertThat(tracker.polled).hasValue(3);
    assertThat(events())
        .containsSubsequence(
            EventType.POLL_FAILED, EventType.BREAKER_OPENED, EventType.POLL_SKIPPED);
    assertThat(telemetry.scrape())
        .contains("flyball_breaker_state{source=\"" + key + "\"} 2.0")
        .contains("category=\"unreachable\",source=\"" + key + "\"} 3.0");
  }

  @Test
  @DisplayName("S0-5: a producer that is started again and again asks a failing tracker once")
  void aCrashLoopIsNoFreeTrigger() {
    tracker.failure = DOWN;
    ProducerApp first = start("one", true);
    KafkaFixture.await().until(() -> state().trouble() != null);
    first.stop();

    for (int i = 0; i < 3; i++) {
      ProducerApp again = start("one", true);
      KafkaFixture.await().until(() -> again.health().ready());
      again.stop();
    }

    assertThat(tracker.polled).hasValue(1);
  }

  @Test
  @DisplayName("each change is published once, whatever the tracker does between")
  void whatChangedDuringTroubleIsPublishedOnceAfterIt() {
    for (int id = 1; id <= 4; id++) {
      tracker.put("" + id, "Item " + id, Instant.now());
    }
    ProducerApp app = start("one", false, new BreakerLimits(3, Duration.ofSeconds(2)));
    assertThat(Polls.finished(app, key).changed()).isEqualTo(4);
    for (int id = 1; id <= 3; id++) {
      tracker.put("" + id, "Edited " + id, Instant.now());
    }
    tracker.failure = DOWN;
    for (int i = 0; i < 3; i++) {
      assertThat(app.pollNow(key)).isEqualTo(new PollReport.Failed(key, DOWN.reason()));
    }
    assertRefused(app);
    assertThat(snapshots()).as("published").hasSize(4);
    tracker.failure = null;

    var after =
        (PollReport.Finished)
            KafkaFixture.await()
                .until(() -> app.pollNow(key), it -> it instanceof PollReport.Finished);
    assertThat(after.published())
        .extracting(published -> published.key().id())
        .containsExactlyInAnyOrder("1", "2", "3");
    assertThat(Polls.finished(app, key).published()).isEmpty();
    assertThat(state().trouble()).isNull();
    assertThat(app.health().reasons()).isEmpty();
    assertThat(snapshots())
        .containsExactlyInAnyOrder(
            "Item 1", "Item 2", "Item 3", "Item 4", "Edited 1", "Edited 2", "Edited 3");
    app.stop();
    assertThat(events())
        .containsSubsequence(
            EventType.POLL_FAILED,
            EventType.BREAKER_OPENED,
            EventType.BREAKER_HALF_OPENED,
            EventType.BREAKER_CLOSED);
  }

  private List<String> snapshots() {
    return KAFKA.records(KAFKA.topics().workItems()).stream()
        .filter(record -> record.key().startsWith(key + "/"))
        .map(record -> RecordJson.read(record.value(), Snapshot.class).title())
        .toList();
  }

  private void assertRefused(ProducerApp app) {
    assertThat(app.pollNow(key))
        .isInstanceOfSatisfying(
            PollReport.Skipped.class,
            skipped ->
                assertThat(skipped.reason())
                    .contains(key, " 3 failures")
                    .endsWith(": " + DOWN.reason()));
    if (apps.size() > 1) {
      app.stop();
    }
  }

  private ProducerApp start(String data, boolean byItself) {
    return start(data, byItself, BreakerLimits.DEFAULT);
  }

  private ProducerApp start(String data, boolean byItself, BreakerLimits breaker) {
    SourceConfig source =
        new SourceConfig.Redmine(
            new SourceConfig.Identity(tenant, "a", Duration.ofMinutes(5)),
            SourceRules.DEFAULT,
            URI.create("http://tracker.test"),
            null,
            "",
            new Credential.None());
    var config =
        new ProducerConfig(
            folder.resolve(data),
            List.of(source),
            PollClocks.DEFAULT,
            breaker,
            ProducerConfig.DEFAULT_TEXT_LIMIT,
            ProducerConfig.DEFAULT_FINGERPRINT_FIELDS);
    var app =
        new ProducerApp(config, KAFKA.settings(), telemetry, byItself, (asked, clock) -> tracker);
    apps.add(app);
    app.start();
    return app;
  }

  private PollState state() {
    return KAFKA
        .newest(KAFKA.topics().pollState(), key, PollState.class)
        .orElse(new PollState("nobody", 0, 0, null, null, null, null));
  }

  private List<EventType> events() {
    return KAFKA.records(KAFKA.topics().sessionEvents()).stream()
        .filter(record -> key.equals(record.key()))
        .map(record -> EventHeaders.typeOf(record.headers()).orElseThrow())
        .toList();
  }
}
