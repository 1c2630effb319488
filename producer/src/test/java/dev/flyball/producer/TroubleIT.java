package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.poll.PollState;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A tracker that fails, over restarts and takeovers; each test has a tenant. */
@Tag("long")
@DisplayName("S0-32, S0-33: polls of a tracker that fails pause, whichever producer polls it")
class TroubleIT extends PollFixture {
  private static final TrackerFailure DOWN =
      TrackerFailure.of(Category.UNREACHABLE, "tracker.test answered 503; wait until it is back");

  @Test
  @DisplayName("S0-5: neither a restart nor a takeover asks a tracker whose breaker is open")
  void anOpenBreakerIsOpenForTheNextProcessToo() {
    tracker.failure = DOWN;
    ProducerApp first = start("one", Breaker.Limits.DEFAULT);
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

    for (String data : List.of("one", "two")) {
      ProducerApp next = start(data, Breaker.Limits.DEFAULT);
      assertRefused(next);
      next.stop();
    }

    assertThat(tracker.polled).hasValue(3);
    assertThat(events())
        .containsSubsequence(
            EventType.POLL_FAILED, EventType.BREAKER_OPENED, EventType.POLL_SKIPPED);
    assertThat(telemetry.scrape())
        .contains("flyball_breaker_state{source=\"" + key + "\"} 2.0")
        .contains("category=\"unreachable\",source=\"" + key + "\"} 3.0");
  }

  @Test
  @DisplayName("each change is published once, whatever the tracker does between")
  void whatChangedDuringTroubleIsPublishedOnceAfterIt() {
    for (int id = 1; id <= 4; id++) {
      tracker.put("" + id, "Item " + id, Instant.now());
    }
    ProducerApp app = start("one", new Breaker.Limits(3, Duration.ofSeconds(2)));
    assertThat(poll(app).changed()).isEqualTo(4);
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
    assertThat(poll(app).published()).isEmpty();
    assertThat(
            KAFKA.newest(KAFKA.topics().pollState(), key, PollState.class).orElseThrow().trouble())
        .isNull();
    assertThat(app.health().reasons()).isEmpty();
    assertThat(snapshots())
        .extracting(Snapshot::title)
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

  private void assertRefused(ProducerApp app) {
    assertThat(app.pollNow(key))
        .isInstanceOfSatisfying(
            PollReport.Skipped.class,
            skipped ->
                assertThat(skipped.whyNot().reason())
                    .contains(key, " 3 failures")
                    .endsWith(": " + DOWN.reason()));
  }

  private ProducerApp start(String data, Breaker.Limits breaker) {
    return start(
        config(
            data,
            tracked(Duration.ofMinutes(5), "a"),
            breaker,
            ProducerConfig.DEFAULT_BACKLOG,
            ProducerConfig.DEFAULT_FINGERPRINT_FIELDS),
        false);
  }
}
