package dev.flyball.ops.console.notify.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.notify.rule.TargetLimit.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TargetLimitTest {
  private static final Instant NOW = Instant.parse("2026-11-25T08:00:00Z");

  private final TargetLimit limit = new TargetLimit(2, Duration.ofHours(1), NOW);

  @Test
  void theSameIsSentOnceWithinTheWindow() {
    assertThat(limit.decide(of("a/b/1"), NOW)).isEqualTo(Decision.SEND);
    assertThat(limit.decide(of("a/b/1"), NOW.plusSeconds(3_599))).isEqualTo(Decision.REPEAT);
    assertThat(limit.decide(of("a/b/1"), NOW.plusSeconds(3_600))).isEqualTo(Decision.SEND);
  }

  @Test
  void whatIsAboveTheRateIsSummedUpOnceAMessageMayBeSent() {
    IntStream.range(0, 2)
        .forEach(i -> assertThat(limit.decide(of("a/b/" + i), NOW)).isEqualTo(Decision.SEND));
    IntStream.range(2, 9)
        .forEach(i -> assertThat(limit.decide(of("a/b/" + i), NOW)).isEqualTo(Decision.HELD));

    assertThat(limit.due(NOW.plusSeconds(1_799))).isEmpty();
    assertThat(limit.due(NOW.plusSeconds(1_800)).orElseThrow().headline())
        .isEqualTo("7 more notifications were held back");
    assertThat(limit.due(NOW.plusSeconds(7_200))).isEmpty();
  }

  @Test
  void theSummaryNamesTheKindsWithTheirCountsHighestFirst() {
    limit.decide(of("a/b/0"), NOW);
    limit.decide(of("a/b/1"), NOW);
    limit.decide(of("a/b/2"), NOW);
    IntStream.range(0, 3)
        .forEach(i -> limit.decide(of(NotificationKind.ANALYSIS, "a/b/" + i), NOW));

    assertThat(limit.due(NOW.plusSeconds(1_800)).orElseThrow().detail())
        .isEqualTo("3 analysis, 1 dead");
  }

  @Test
  void routineMessagesNeverHoldBackAnAlarm() {
    IntStream.range(0, 9)
        .forEach(i -> limit.decide(of(NotificationKind.ANALYSIS, "a/b/" + i), NOW));

    assertThat(limit.decide(of(NotificationKind.INVARIANT, "-"), NOW)).isEqualTo(Decision.SEND);
  }

  @Test
  void anAlarmThatWasHeldBackIsSentOnceThereIsRoom() {
    limit.decide(of(NotificationKind.SURVIVORS, "a/b/1"), NOW);
    limit.decide(of(NotificationKind.SURVIVORS, "a/b/2"), NOW);
    Notification held = of(NotificationKind.INVARIANT, "-");
    assertThat(limit.decide(held, NOW)).isEqualTo(Decision.HELD);

    assertThat(limit.due(NOW.plusSeconds(1_799))).isEmpty();
    assertThat(limit.due(NOW.plusSeconds(1_800))).contains(held);
    assertThat(limit.due(NOW.plusSeconds(7_200))).isEmpty();
  }

  @Test
  void anAlarmThatFoundNoRoomInTheQueueIsSentLater() {
    Notification alarm = of(NotificationKind.BUDGET, "global");
    assertThat(limit.decide(alarm, NOW)).isEqualTo(Decision.SEND);
    limit.overflowed(alarm);

    assertThat(limit.due(NOW)).contains(alarm);
  }

  @Test
  void whatWasHeldBackIsSentWhenItComesAgain() {
    limit.decide(of("a/b/1"), NOW);
    limit.decide(of("a/b/2"), NOW);
    assertThat(limit.decide(of("a/b/3"), NOW)).isEqualTo(Decision.HELD);

    assertThat(limit.decide(of("a/b/3"), NOW.plusSeconds(1_800))).isEqualTo(Decision.SEND);
  }

  @Test
  void aClockThatGoesBackGivesNoMessages() {
    limit.decide(of("a/b/1"), NOW);
    limit.decide(of("a/b/2"), NOW);

    assertThat(limit.decide(of("a/b/3"), NOW.minusSeconds(9_000))).isEqualTo(Decision.HELD);
  }

  @Test
  void waitsGrowUntilTheMessageIsGivenUp() {
    var schedule =
        new RetrySchedule(Duration.ofSeconds(2), Duration.ofMinutes(5), Duration.ofHours(1));

    assertThat(schedule.next(1, Duration.ZERO, Duration.ZERO, 0.5)).contains(Duration.ofSeconds(2));
    assertThat(schedule.next(2, Duration.ZERO, Duration.ZERO, 0.5)).contains(Duration.ofSeconds(6));
    assertThat(schedule.next(1, Duration.ZERO, Duration.ZERO, 0.0))
        .contains(Duration.ofMillis(1_500));
    assertThat(schedule.next(99, Duration.ZERO, Duration.ZERO, 1.0))
        .contains(Duration.ofMinutes(5));
    assertThat(schedule.next(1, Duration.ofSeconds(40), Duration.ZERO, 0.5))
        .contains(Duration.ofSeconds(40));
    assertThat(schedule.next(9, Duration.ZERO, Duration.ofMinutes(56), 0.5)).isEmpty();
  }

  private static Notification of(String subject) {
    return of(NotificationKind.DEAD, subject);
  }

  private static Notification of(NotificationKind kind, String subject) {
    return new Notification("id", kind, subject, "a", "Given up", "", "", true, NOW);
  }
}
