package dev.flyball.ops.console.notify.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.notify.rule.TargetLimit.Decision;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TargetLimitTest {
  private static final Instant NOW = Instant.parse("2026-11-25T08:00:00Z");

  private final TargetLimit limit = new TargetLimit();

  @Test
  void theSameIsSentOnceWithinTheHour() {
    assertThat(limit.decide(of("a/b/1"), NOW)).isEqualTo(Decision.SEND);
    assertThat(limit.decide(of("a/b/1"), NOW.plusSeconds(3_599))).isEqualTo(Decision.REPEAT);
    assertThat(limit.decide(of("a/b/1"), NOW.plusSeconds(3_600))).isEqualTo(Decision.SEND);
  }

  @Test
  void whatIsAboveTheRateIsSummedUpOnceAMessageMayBeSent() {
    spend(Notification.Kind.DEAD);
    for (int i = 0; i < 3; i++) {
      assertThat(limit.decide(of("more/" + i), NOW)).isEqualTo(Decision.HELD);
    }
    limit.decide(of(Notification.Kind.ANALYSIS, "a/b/1"), NOW);

    assertThat(limit.due(NOW.plusSeconds(3_599))).isEmpty();
    Notification summary = limit.due(NOW.plusSeconds(3_600)).orElseThrow();
    assertThat(summary.headline()).isEqualTo("4 more notifications were held back");
    assertThat(summary.detail()).isEqualTo("3 dead, 1 analysis");
    assertThat(limit.due(NOW.plusSeconds(7_200))).isEmpty();
    assertThat(limit.decide(of("more/1"), NOW.plusSeconds(7_200))).isEqualTo(Decision.SEND);
  }

  @Test
  void routineMessagesNeverHoldBackAnAlarm() {
    spend(Notification.Kind.ANALYSIS);

    assertThat(limit.decide(of(Notification.Kind.TROUBLE, "-"), NOW)).isEqualTo(Decision.SEND);
  }

  @Test
  void alarmsThatWereHeldBackAreSummedUpFromTheirOwnQuota() {
    spend(Notification.Kind.TROUBLE);
    spend(Notification.Kind.DEAD);
    limit.decide(of(Notification.Kind.TROUBLE, "more"), NOW);

    assertThat(limit.due(NOW.plusSeconds(3_599))).isEmpty();
    assertThat(limit.due(NOW.plusSeconds(3_600)).orElseThrow().detail()).isEqualTo("1 trouble");
  }

  @Test
  void aClockThatGoesBackGivesNoMessages() {
    spend(Notification.Kind.DEAD);

    assertThat(limit.decide(of("more"), NOW.minusSeconds(9_000))).isEqualTo(Decision.HELD);
  }

  private void spend(Notification.Kind kind) {
    IntStream.range(0, TargetLimit.PER_HOUR)
        .forEach(
            i -> assertThat(limit.decide(of(kind, "spent/" + i), NOW)).isEqualTo(Decision.SEND));
  }

  private static Notification of(String subject) {
    return of(Notification.Kind.DEAD, subject);
  }

  private static Notification of(Notification.Kind kind, String subject) {
    return new Notification("id", kind, "c", subject, "a", "Given up", "", "", NOW);
  }
}
