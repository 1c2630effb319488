package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.poll.PollState;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
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
  private final FailingTracker tracker = new FailingTracker();
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

    assertThat(tracker.asked).hasValue(3);
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
    ProducerApp first = start("one", true);
    KafkaFixture.await().until(() -> state().trouble() != null);
    first.stop();

    for (int i = 0; i < 3; i++) {
      ProducerApp again = start("one", true);
      KafkaFixture.await().until(() -> again.health().ready());
      again.stop();
    }

    assertThat(tracker.asked).hasValue(1);
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
    SourceConfig source =
        new SourceConfig.Redmine(
            new SourceConfig.Identity(tenant, "a", Duration.ofMinutes(5)),
            SourceRules.DEFAULT,
            URI.create("http://tracker.test"),
            null,
            "",
            new Credential.None());
    var config = ProducerConfig.defaults(folder.resolve(data), List.of(source));
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

  private static final class FailingTracker implements Source {
    private final AtomicInteger asked = new AtomicInteger();

    @Override
    public PollResult poll(@Nullable String cursor, RequestPermission permission) {
      asked.incrementAndGet();
      return new PollResult.Failed(DOWN);
    }
  }
}
