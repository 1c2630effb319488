package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.metric.MetricWindow.Quantiles;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Receipt;
import dev.flyball.ops.console.projection.MetricTable.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What each event adds to its windows")
class MetricTableTest extends ProjectionFixture {
  private static final Instant M = Instant.parse("2026-11-25T02:13:00Z");
  private static final Instant HOUR = Instant.parse("2026-11-25T02:00:00Z");
  private static final EventData NONE = EventData.EMPTY;

  @Test
  void aSessionsEndCountsItsOutcomeDurationsUseAndProcesses() {
    says(ended(EventType.SESSION_COMPLETED, "completed", List.of()));

    MetricWindow window = minute();
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
    LifecycleEvent silent = ended(EventType.SESSION_TIMED_OUT, "timedOut", List.of("TERM"));
    var failure = new Failure(Failure.Kind.TRANSIENT, "silent");
    says(event(silent.type(), M, silent.data().with(Field.FAILURE, failure)));
    says(ended(EventType.SESSION_CANCELLED, "cancelled", List.of("TERM", "KILL")));

    assertThat(minute().kills()).isEqualTo(Map.of("silent", 1L, "cancelled", 1L));
  }

  @Test
  void aSessionThatNeverStartedHasNoDurations() {
    says(
        event(
            EventType.SESSION_CANCELLED,
            M,
            NONE.with(Field.WAITING_MS, 5_000, Field.RECEIPT, Receipt.notStarted())));

    assertThat(minute().running()).isNull();
    assertThat(minute().waiting()).isNull();
  }

  @Test
  void claimsAreCountedAndOtherEventsByName() {
    says(event(EventType.SESSION_CLAIMED, M, NONE));
    says(event(EventType.ITEM_CHANGED, M, NONE));
    says(event(EventType.ITEM_CHANGED, M, NONE));
    says(event(EventType.POLL_FAILED, M, NONE));
    says(event(EventType.SESSION_PROGRESSED, M, NONE));
    says(event(EventType.SESSION_LEASE_ENDED, M, NONE.with(Field.ENDED_BY, "expired")));
    projection.commit(() -> projection.unreadable("acme/web", M));

    assertThat(minute().claimed()).isEqualTo(1);
    assertThat(minute().counts())
        .isEqualTo(
            Map.of("item.changed", 2L, "poll.failed", 1L, "session.leaseExpired", 1L, "other", 1L));
  }

  @Test
  void anHourIsTheSumOfItsMinutesAndTheHighestOfTheirPeaks() {
    LifecycleEvent alive = event(EventType.SESSION_KILLED, M, NONE.with(Field.SURVIVORS, 3));
    says(alive);
    says(alive);
    says(triaged("b1", M));
    says(triaged("b1", M));
    says(triaged("b2", M));
    says(triaged("b1", M.plusSeconds(60)));
    says(event(EventType.SESSION_KILLED, M.plusSeconds(60), NONE.with(Field.SURVIVORS, 2)));

    assertThat(minute().counts())
        .containsAllEntriesOf(Map.of("item.triaged", 3L, "triage.calls", 2L));
    assertThat(minute().costMicros()).isEqualTo(3_000);
    assertThat(minute().survivors()).as("a report is repeated").isEqualTo(3);
    MetricWindow hour = read(new Window(Window.HOURS, HOUR, "acme"));
    assertThat(hour.counts())
        .as("reports of what cannot be ended are no kills")
        .isEqualTo(Map.of("item.triaged", 4L, "triage.calls", 2L));
    assertThat(hour.costMicros()).isEqualTo(4_000);
    assertThat(hour.survivors()).isEqualTo(3);
  }

  @Test
  void whatIsDroppedSavesTheAverageCostUntilThen() {
    LifecycleEvent duplicate = event(EventType.ITEM_DUPLICATE, M, NONE);
    says(duplicate);
    assertThat(minute().savedMicros()).isZero();

    says(ended(EventType.SESSION_COMPLETED, "completed", List.of()));
    says(duplicate);
    says(event(EventType.ITEM_SKIPPED, M, NONE.with(Field.MODEL, "rules/2")));
    says(event(EventType.ITEM_SKIPPED, M, NONE));

    assertThat(minute().savedMicros()).isEqualTo(2 * 70_000);
  }

  @Test
  void anEventLateByADayCountsInItsWindowAndALaterOneAsLate() {
    LifecycleEvent event = event(EventType.ITEM_CHANGED, M, NONE);
    Instant tooLate = M.plus(Projection.GRACE).plusMillis(1);
    projection.commit(() -> {
      projection.event(event, M.plus(Projection.GRACE));
      projection.event(event, tooLate);
      projection.event(event, M.minus(Duration.ofHours(2)));
    });

    assertThat(minute().counts()).isEqualTo(Map.of("item.changed", 1L));
    assertThat(read(new Window("1m", tooLate.minusMillis(1), "acme")).counts())
        .isEqualTo(Map.of("late", 1L));
  }

  @Test
  void windowsAreDueUntilTheyAreWrittenAndCountersStayForLateEvents() {
    says(event(EventType.ITEM_CHANGED, M, NONE));
    projection.commit(() -> projection.unreadable("x".repeat(999) + "/a", M));
    MetricTable metrics = projection.metrics;
    List<Window> due = metrics.due(9);
    assertThat(due)
        .extracting(Window::key)
        .containsExactly(
            "1h/2026-11-25T02:00:00Z/-",
            "1h/2026-11-25T02:00:00Z/acme",
            "1m/2026-11-25T02:13:00Z/-",
            "1m/2026-11-25T02:13:00Z/acme");
    for (Window window : due) {
      projection.commit(() -> metrics.written(metrics.read(window)));
    }
    assertThat(metrics.due(9)).isEmpty();

    metrics.forget(M.plus(Duration.ofHours(47)));
    assertThat(minute().counts()).isNotEmpty();
    metrics.forget(M.plus(Duration.ofHours(49)));
    assertThat(minute().counts()).isEmpty();
  }

  @Test
  void aSessionIsThereInEachMinuteUntilItsEnd() {
    says(event(EventType.SESSION_PROGRESSED, M, NONE));
    says(event(EventType.SESSION_CLAIMED, M.plusSeconds(61), NONE));
    says(event(EventType.SESSION_PROGRESSED, M.plusSeconds(185), NONE));
    says(event(EventType.SESSION_LEASE_ENDED, M.plusSeconds(130), NONE));
    says(event(EventType.SESSION_COMPLETED, M.plusSeconds(240), NONE));

    assertThat(peaks(5))
        .as("a session never ends before it was seen")
        .containsExactly(0L, 1L, 1L, 1L, 0L);
  }

  @Test
  void thePeakOfEachMinuteIsExactInWhateverOrderSessionsAreHeardOf() {
    long seed = Long.getLong("seed", new Random().nextLong());
    var random = new Random(seed);
    var sessions = new ArrayList<long[]>();
    for (int i = 0; i < 60; i++) {
      long from = random.nextInt(300_000);
      sessions.add(new long[] {from, from + 1 + random.nextInt(150_000)});
    }
    Collections.shuffle(sessions, random);
    projection.commit(() -> {
      for (int i = 0; i < sessions.size(); i++) {
        EventData data = NONE.with(Field.SESSION, "s" + i);
        for (int end = 0; end < 2; end++) {
          Instant at = M.plusMillis(sessions.get(i)[end]);
          EventType type = end == 0 ? EventType.SESSION_CLAIMED : EventType.SESSION_LEASE_ENDED;
          projection.event(event(type, at, data), at);
        }
      }
    });

    List<Long> found = peaks(8);
    for (int minute = 0; minute < 8; minute++) {
      assertThat(found.get(minute)).as("seed %d", seed).isEqualTo(peak(sessions, minute * 60_000L));
    }
  }

  private static long peak(List<long[]> sessions, long start) {
    long peak = 0;
    for (long[] moment : sessions) {
      long at = Math.max(moment[0], start);
      if (at < start + 60_000) {
        peak = Math.max(peak, sessions.stream().filter(one -> one[0] <= at && at < one[1]).count());
      }
    }
    return peak;
  }

  @Test
  void aQuantileIsTheSmallestThatItsShareOfAllDoesNotExceed() {
    for (int each = 100; each >= 1; each--) {
      EventData data =
          NONE.with(Field.RECEIPT, new Receipt("A", 1, 0, List.of(), 0))
              .with(Field.RUNNING_MS, each, Field.WAITING_MS, each / 51);
      says(event(EventType.SESSION_COMPLETED, M.plusSeconds(each % 2 * 60L), data));
    }

    MetricWindow hour = read(new Window(Window.HOURS, HOUR, "acme"));
    assertThat(hour.running()).isEqualTo(new Quantiles(100, 50, 95, 99, 100));
    assertThat(hour.waiting()).isEqualTo(new Quantiles(100, 0, 1, 1, 1));
  }

  private void says(LifecycleEvent event) {
    projection.commit(() -> projection.event(event, event.time()));
  }

  private MetricWindow minute() {
    return read(new Window("1m", M, "acme"));
  }

  private List<Long> peaks(int minutes) {
    var peaks = new ArrayList<Long>();
    for (int i = 0; i < minutes; i++) {
      peaks.add(read(new Window("1m", M.plusSeconds(60L * i), "acme")).concurrencyPeak());
    }
    return peaks;
  }

  private MetricWindow read(Window window) {
    return projection.metrics.read(window);
  }

  private static LifecycleEvent triaged(String batch, Instant at) {
    return event(
        EventType.ITEM_TRIAGED, at, NONE.with(Field.BATCH, batch, Field.COST_MICROS, 1_000));
  }

  private static LifecycleEvent ended(EventType type, String outcome, List<String> steps) {
    return event(
        type,
        M,
        NONE.with(Field.OUTCOME, outcome, Field.RECEIPT, new Receipt("A", 9, 0, steps, 2))
            .with(Field.RUNNING_MS, 900, Field.WAITING_MS, 40)
            .with(Field.TOKENS, 1_200, Field.COST_MICROS, 70_000));
  }

  private static LifecycleEvent event(EventType type, Instant at, EventData data) {
    EventData named = data.has(Field.SESSION) ? data : data.with(Field.SESSION, "s1");
    return new LifecycleEvent("e", type, "/triage", "acme/web/1", at, named);
  }
}
