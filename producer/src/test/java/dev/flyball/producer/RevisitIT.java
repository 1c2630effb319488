package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import dev.flyball.tracker.OptIn;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.WriteBack;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
@DisplayName("S4-11: what waits or runs is looked at again by its id")
class RevisitIT extends PollFixture {
  private static final Snapshots SNAPSHOTS =
      new Snapshots(1024, ProducerConfig.DEFAULT_FINGERPRINT_FIELDS, SourceRules.DEFAULT);

  private final Instant longAgo = Instant.now().minus(Duration.ofDays(30));

  @Test
  void aDeletedItemIsPublishedAsClosedOnce() {
    tracker.put("1", "one", longAgo);
    tracker.put("2", "two", Instant.now());
    ProducerApp app = start("a", Duration.ZERO);
    poll(app);
    request("1", "one");
    tracker.delete("1");

    poll(app);
    poll(app);

    List<Snapshot> snapshots = snapshots("1");
    assertThat(snapshots).hasSize(2);
    assertThat(snapshots.getLast().closed()).isTrue();
    assertThat(snapshots.getLast().newest()).isTrue();
    assertThat(snapshots.getLast().state()).isEqualTo("deleted");
    assertThat(snapshots.getLast().title()).isEqualTo("one");
    assertThat(snapshots("2")).hasSize(1);
  }

  @Test
  void anItemThatThePollDoesNotFindAnyMoreIsPublishedAsItIsNow() {
    tracker.put("1", "one", longAgo);
    tracker.put("2", "two", Instant.now());
    ProducerApp app = start("a", Duration.ZERO);
    poll(app);
    request("1", "one");
    tracker.put("1", "one", "Closed", longAgo);

    poll(app);

    assertThat(snapshots("1")).extracting(Snapshot::closed).containsExactly(false, true);
  }

  @Test
  @DisplayName("S2-4: an unchanged one is not published, also by who took its source over")
  void whatIsAsItsSessionReadsItIsNotPublishedAgain() {
    tracker.put("2", "two", Instant.now());
    ProducerApp first = start("a", Duration.ZERO);
    poll(first);
    // Published so long ago that neither a copy nor the topic holds it any more.
    tracker.put("1", "one", longAgo);
    request("1", "one");
    first.stop();
    ProducerApp second = start("b", Duration.ZERO);
    poll(second);
    poll(second);

    assertThat(tracker.revisited).isNotEmpty();
    assertThat(snapshots("1")).isEmpty();
  }

  @Test
  void aRevisitRunsInBatchesOverPollsAndSkipsSettledItems() {
    tracker.put("new", "new", Instant.now());
    ProducerApp app = start("a", Duration.ZERO);
    poll(app);
    for (int i = 10; i < 23; i++) {
      tracker.put("" + i, "title", longAgo);
      request("" + i, "title");
    }
    KAFKA.produceRaw(KAFKA.topics().sessionRequests(), tenant + "/web/12", null);

    poll(app);
    assertThat(tracker.revisited).hasSize(5).startsWith(List.of("10", "11"), List.of("13", "14"));
    poll(app);
    assertThat(tracker.revisited).hasSize(6).endsWith(List.of("21", "22"));
    poll(app);
    assertThat(tracker.revisited).hasSize(11);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFailedRevisitTakesNothingFromThePollAndDegradesHealth(boolean breaks) {
    tracker.put("1", "one", longAgo);
    tracker.put("2", "two", Instant.now());
    ProducerApp app = start("a", Duration.ZERO);
    poll(app);
    request("1", "one");
    tracker.revisitFailure = TrackerFailure.of(TrackerFailure.Category.UNREACHABLE, "web is away");
    tracker.revisitBreaks = breaks;
    tracker.put("3", "three", Instant.now());

    assertThat(poll(app).published()).singleElement().extracting(p -> p.key().id()).isEqualTo("3");
    assertThat(app.health().status()).isEqualTo(Health.Status.DEGRADED);
    assertThat(app.health().reasons())
        .anyMatch(reason ->
            reason.contains(
                "waiting items were not looked at again: "
                    + (breaks ? key + ": its answer broke its reader" : "web is away")));
    tracker.revisitFailure = null;
    tracker.revisitBreaks = false;
    poll(app);
    assertThat(app.health().reasons()).isEmpty();
  }

  @Test
  @DisplayName("S0-57: what closes never waits for the backlog that it makes smaller")
  void aSourceAboveItsBacklogPublishesWhatClosedAndNothingNew() {
    tracker.put("1", "one", longAgo);
    tracker.put("2", "two", Instant.now());
    ProducerApp first = start("a", Duration.ZERO);
    poll(first);
    first.stop();
    request("1", "one");
    request("2", "two");
    tracker.put("1", "one", "Closed", longAgo);
    tracker.put("3", "three", Instant.now());

    ProducerApp second = start("a", Duration.ZERO, 1, true);

    KafkaFixture.await()
        .untilAsserted(() ->
            assertThat(snapshots("1")).extracting(Snapshot::closed).containsExactly(false, true));
    assertThat(second.health().reasons()).anyMatch(reason -> reason.contains("poll.backlog"));
    assertThat(snapshots("3")).isEmpty();
    KAFKA.produceRaw(KAFKA.topics().sessionRequests(), tenant + "/web/1", null);
    KAFKA.produceRaw(KAFKA.topics().sessionRequests(), tenant + "/web/2", null);
    KafkaFixture.await().untilAsserted(() -> assertThat(snapshots("3")).hasSize(1));
    assertThat(snapshots("1")).hasSize(2);
    assertThat(snapshots("2")).hasSize(1);
    assertThat(Collections.frequency(events(), EventType.POLL_SKIPPED)).isEqualTo(1);
  }

  @Test
  void anIntervalIsWaitedFor() {
    tracker.put("2", "two", Instant.now());
    ProducerApp app = start("a", Duration.ofHours(1));
    poll(app);
    tracker.put("1", "one", longAgo);
    request("1", "one");
    poll(app);
    poll(app);

    assertThat(tracker.revisited).isEmpty();
  }

  private ProducerApp start(String data, Duration revisit) {
    return start(data, revisit, ProducerConfig.DEFAULT_BACKLOG, false);
  }

  /**
   * @param backlog above so many waiting items polls wait
   * @param itself whether it polls at its interval
   */
  private ProducerApp start(String data, Duration revisit, int backlog, boolean itself) {
    var rules =
        new SourceRules(List.of(), Set.of(), false, revisit, new WriteBack.Off(), OptIn.ALL);
    return start(
        config(
            data,
            file(Duration.ofSeconds(1), rules),
            Breaker.Limits.DEFAULT,
            backlog,
            ProducerConfig.DEFAULT_FINGERPRINT_FIELDS),
        itself);
  }

  /** As triage-stream writes it when the item waits for its session. */
  private void request(String id, String title) {
    tracker
        .item(id)
        .ifPresent(item -> {
          Snapshot snapshot = SNAPSHOTS.of(item, true);
          assertThat(snapshot.title()).isEqualTo(title);
          KAFKA.produce(
              KAFKA.topics().sessionRequests(),
              tenant + "/web/" + id,
              Sample.request("request-" + id, 3, Instant.EPOCH, null, snapshot));
        });
  }
}
