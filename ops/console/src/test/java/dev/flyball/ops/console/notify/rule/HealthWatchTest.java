package dev.flyball.ops.console.notify.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.HealthReport;
import dev.flyball.ops.telemetry.MachineLoad;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-4: people are notified of a health that stays bad, each reason once")
class HealthWatchTest {
  private static final Instant T = Instant.parse("2026-11-25T08:00:00Z");
  private static final String STRAYS = "runner: 12 stray processes";

  private final HealthWatch watch = new HealthWatch(HealthWatch.LASTING);

  @Test
  void aReasonThatLastsIsSentOnceWhateverItsFigures() {
    assertThat(at(0, STRAYS)).isEmpty();
    assertThat(at(59, "runner: 13 stray processes")).isEmpty();

    assertThat(at(60, "runner: 14 stray processes"))
        .singleElement()
        .satisfies(made -> {
          assertThat(made.kind()).isEqualTo(Notification.Kind.TROUBLE);
          assertThat(made.detail()).isEqualTo("runner: 14 stray processes");
          assertThat(made.tenant()).isNull();
        });
    assertThat(at(65, "runner: 15 stray processes")).isEmpty();
  }

  @Test
  void anotherReasonIsSentBesideOneThatIsKnown() {
    at(0, STRAYS);
    at(60, STRAYS);
    at(100, STRAYS, "console: disk is full");

    assertThat(at(160, STRAYS, "console: disk is full"))
        .extracting(Notification::detail)
        .containsExactly("console: disk is full");
  }

  @Test
  void aReasonThatEndedAndCameBackIsSentAgain() {
    at(0, STRAYS);
    at(60, STRAYS);
    assertThat(at(70)).isEmpty();
    at(80, STRAYS);

    assertThat(at(139, STRAYS)).isEmpty();
    assertThat(at(140, STRAYS)).hasSize(1);
  }

  @Test
  void aProcessThatStartsIsNoTrouble() {
    HealthReport starting = report(Health.starting("runner is starting"));
    watch.look(starting, T);

    assertThat(watch.look(starting, T.plusSeconds(600))).isEmpty();
  }

  @Test
  void twoTroublesAreTwoNotificationsWithinAnHour() {
    at(0, STRAYS, "console: disk is full");

    assertThat(at(60, STRAYS, "console: disk is full"))
        .extracting(Notification::key)
        .doesNotHaveDuplicates()
        .hasSize(2);
  }

  private List<Notification> at(int second, String... reasons) {
    Health health = Health.healthy();
    for (String reason : reasons) {
      health = health.and(Health.degraded(reason));
    }
    return watch.look(report(health), T.plusSeconds(second));
  }

  private static HealthReport report(Health health) {
    return HealthReport.of(health, 0, 0, new MachineLoad(List.of(0.1, 0.1, 0.1), 2), 0);
  }
}
