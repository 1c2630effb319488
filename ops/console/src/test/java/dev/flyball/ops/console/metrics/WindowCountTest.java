package dev.flyball.ops.console.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.metric.MetricWindow.Quantiles;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Receipt;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What each event adds to its window")
class WindowCountTest {
  private static final Instant T = Instant.parse("2026-11-25T02:13:00Z");

  @Test
  void aSessionsEndCountsItsOutcomeDurationsUseAndProcesses() {
    MetricWindow window =
        window(ended(EventType.SESSION_COMPLETED, "completed", 900, 40, List.of()));

    assertThat(window.ended()).isEqualTo(Map.of("completed", 1L));
    assertThat(window.running()).isEqualTo(new Quantiles(1, 900, 900, 900, 900));
    assertThat(window.waiting()).isEqualTo(new Quantiles(1, 40, 40, 40, 40));
    assertThat(window.tokens()).isEqualTo(1_200);
    assertThat(window.costMicros()).isEqualTo(70_000);
    assertThat(window.processesPeak()).isEqualTo(9);
    assertThat(window.survivors()).isEqualTo(2);
    assertThat(window.kills()).isEmpty();
    assertThat(window.counts()).isEmpty();
  }

  @Test
  void aKillIsCountedByTheCodeOfItsFailure() {
    LifecycleEvent silent =
        with(
            ended(EventType.SESSION_TIMED_OUT, "timedOut", 1, 1, List.of("TERM")),
            Field.FAILURE,
            new Failure(Failure.Kind.TRANSIENT, "silent"));
    LifecycleEvent cancelled =
        ended(EventType.SESSION_CANCELLED, "cancelled", 1, 1, List.of("TERM", "KILL"));

    assertThat(window(silent, cancelled).kills()).isEqualTo(Map.of("silent", 1L, "cancelled", 1L));
  }

  @Test
  void aSessionThatNeverStartedHasNoDurations() {
    LifecycleEvent never =
        with(
            ended(EventType.SESSION_CANCELLED, "cancelled", 0, 5_000, List.of()),
            Field.RECEIPT,
            Receipt.notStarted());

    assertThat(window(never).running()).isNull();
    assertThat(window(never).waiting()).isNull();
  }

  @Test
  void claimsAreCountedAndOtherEventsByName() {
    MetricWindow window =
        window(
            event(EventType.SESSION_CLAIMED, EventData.EMPTY),
            event(EventType.ITEM_CHANGED, EventData.EMPTY),
            event(EventType.ITEM_CHANGED, EventData.EMPTY),
            event(EventType.POLL_FAILED, EventData.EMPTY),
            event(EventType.SESSION_PROGRESSED, EventData.EMPTY),
            event(EventType.SESSION_LEASE_ENDED, EventData.EMPTY.with(Field.ENDED_BY, "expired")));

    assertThat(window.claimed()).isEqualTo(1);
    assertThat(window.counts())
        .isEqualTo(Map.of("item.changed", 2L, "poll.failed", 1L, "session.leaseExpired", 1L));
  }

  @Test
  void aTriageCallIsCountedOnceForAllItsItemsAndItsCostIsTheirs() {
    MetricWindow window = window(triaged("b1"), triaged("b1"), triaged("b2"));

    assertThat(window.counts()).isEqualTo(Map.of("item.triaged", 3L, "triage.calls", 2L));
    assertThat(window.costMicros()).isEqualTo(3_000);
  }

  @Test
  void whatIsDroppedSavesTheAverageCostUntilThen() {
    LifecycleEvent duplicate = event(EventType.ITEM_DUPLICATE, EventData.EMPTY);
    LifecycleEvent skipped =
        event(EventType.ITEM_SKIPPED, EventData.EMPTY.with(Field.MODEL, "rules/2"));
    LifecycleEvent byOperator = event(EventType.ITEM_SKIPPED, EventData.EMPTY);
    LifecycleEvent done = ended(EventType.SESSION_COMPLETED, "completed", 1, 1, List.of());
    LifecycleEvent failed = ended(EventType.SESSION_FAILED, "failed", 1, 1, List.of());

    assertThat(window(duplicate, done).savedMicros()).isZero();
    assertThat(window(done, failed, duplicate, skipped, byOperator).savedMicros())
        .isEqualTo(2 * 140_000);
  }

  @Test
  void whatCannotBeEndedIsReportedAgainAndNotAddedUp() {
    LifecycleEvent alive =
        event(EventType.SESSION_KILLED, EventData.EMPTY.with(Field.SURVIVORS, 3));

    assertThat(window(alive, alive).survivors()).isEqualTo(3);
    assertThat(hour(counted(alive), counted(alive)).survivors()).isEqualTo(3);
  }

  @Test
  void anEventLateByADayCountsInItsWindowAndALaterOneAsLate() {
    LifecycleEvent event = event(EventType.ITEM_CHANGED, EventData.EMPTY);

    MetricFact fact = FactRules.of(event, T.plus(FactRules.GRACE));
    assertThat(fact.name()).isEqualTo("item.changed");
    assertThat(fact.at()).isEqualTo(T.toEpochMilli());

    Instant tooLate = T.plus(FactRules.GRACE).plusMillis(1);
    assertThat(FactRules.of(event, tooLate))
        .isEqualTo(MetricFact.counted("late", "acme", tooLate.toEpochMilli()));
    assertThat(FactRules.of(event, T.minus(Duration.ofHours(2))).name()).isEqualTo("late");
  }

  @Test
  void theTenantIsTheFirstPartOfTheSubject() {
    assertThat(FactRules.unknown("acme/web", T).tenant()).isEqualTo("acme");
    assertThat(FactRules.unknown("-", T).tenant()).isEqualTo("-");
    assertThat(FactRules.unknown("x".repeat(999) + "/a", T).tenant()).isEqualTo("-");
    assertThat(FactRules.unknown("-", T).name()).isEqualTo("other");
  }

  @Test
  void anHourIsTheSumOfItsMinutesAndTheHighestOfTheirPeaks() {
    WindowCount one =
        counted(ended(EventType.SESSION_COMPLETED, "completed", 900, 40, List.of()), triaged("b1"))
            .marked(new SessionSpan.Mark(T.toEpochMilli() + 5, true));
    WindowCount two =
        counted(ended(EventType.SESSION_COMPLETED, "completed", 100, 40, List.of()), triaged("b1"))
            .marked(new SessionSpan.Mark(T.toEpochMilli() + 5, true))
            .marked(new SessionSpan.Mark(T.toEpochMilli() + 6, true));

    MetricWindow hour = hour(one, two);

    assertThat(hour.ended()).isEqualTo(Map.of("completed", 2L));
    assertThat(hour.concurrencyPeak()).isEqualTo(2);
    assertThat(hour.running()).isNotNull();
    assertThat(hour.counts()).isEqualTo(Map.of("item.triaged", 2L, "triage.calls", 1L));
    assertThat(hour.survivors()).isEqualTo(4);
    assertThat(hour.costMicros()).isEqualTo(142_000);
  }

  @Test
  void namesAndBatchesHaveALimit() {
    WindowCount count = WindowCount.EMPTY;
    for (int i = 0; i < 2_000; i++) {
      count = count.fold(MetricFact.counted("n" + i, "acme", 0), AverageCost.NONE);
      count = count.fold(FactRules.of(triaged("b" + i), T), AverageCost.NONE);
    }
    assertThat(count.toWindow("1m", T, "acme").counts())
        .hasSizeLessThanOrEqualTo(102)
        .containsKey("other");
    assertThat(count.batches()).hasSize(500);
    assertThat(RecordJson.bytes(count)).hasSizeLessThan(20_000);
  }

  @Test
  void aStoredWindowIsReadBackTheSame() {
    WindowCount count =
        counted(ended(EventType.SESSION_FAILED, "failed", 5, 7, List.of("KILL")), triaged("b"))
            .marked(new SessionSpan.Mark(T.toEpochMilli() + 5, true));

    assertThat(RecordJson.read(RecordJson.bytes(count), WindowCount.class)).isEqualTo(count);
  }

  private static MetricWindow hour(WindowCount... minutes) {
    return WindowCount.hour(List.of(minutes)).toWindow("1h", T, "acme");
  }

  private static MetricWindow window(LifecycleEvent... events) {
    return counted(events).toWindow("1m", T, "acme");
  }

  private static WindowCount counted(LifecycleEvent... events) {
    WindowCount count = WindowCount.EMPTY;
    AverageCost average = AverageCost.NONE;
    for (LifecycleEvent event : events) {
      MetricFact fact = FactRules.of(event, event.time());
      if (fact.counts()) {
        count = count.fold(fact, average);
      }
      average = average.after(fact);
    }
    return count;
  }

  private static LifecycleEvent triaged(String batch) {
    return event(
        EventType.ITEM_TRIAGED,
        EventData.EMPTY.with(Field.BATCH, batch).with(Field.COST_MICROS, 1_000));
  }

  private static LifecycleEvent ended(
      EventType type, String outcome, long running, long waiting, List<String> steps) {
    return event(
        type,
        EventData.EMPTY
            .with(Field.OUTCOME, outcome, Field.RECEIPT, new Receipt("A", 9, 0, steps, 2))
            .with(Field.RUNNING_MS, running, Field.WAITING_MS, waiting)
            .with(Field.TOKENS, 1_200, Field.COST_MICROS, 70_000));
  }

  private static LifecycleEvent with(LifecycleEvent event, Field field, Object value) {
    return new LifecycleEvent(
        event.id(),
        event.type(),
        event.source(),
        event.subject(),
        event.time(),
        event.data().with(field, value));
  }

  private static LifecycleEvent event(EventType type, EventData data) {
    return new LifecycleEvent(
        "e", type, "/triage", "acme/web/1", T, data.with(Field.SESSION, "s1"));
  }
}
