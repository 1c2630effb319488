package dev.flyball.ops.console.notify.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.HealthReport;
import dev.flyball.ops.telemetry.MachineLoad;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-4: people are notified of a health that stays bad, each reason once")
class HealthWatchTest {
  private static final Instant T = Instant.parse("2026-11-25T08:00:00Z");
  private static final String DISK = "disk";

  private final HealthWatch watch = new HealthWatch(HealthWatch.LASTING);

  @Test
  void aConditionThatLastsIsSentOnceWhateverItsText() {
    assertThat(at(0, "strays")).isEmpty();
    assertThat(at(59, "strays")).isEmpty();

    assertThat(at(60, "strays"))
        .singleElement()
        .satisfies(made -> {
          assertThat(made.kind()).isEqualTo(Notification.Kind.TROUBLE);
          assertThat(made.detail()).isEqualTo("strays at 60");
          assertThat(made.tenant()).isNull();
        });
    assertThat(at(65, "strays")).isEmpty();
  }

  @Test
  void anotherConditionIsSentBesideOneThatIsKnown() {
    at(0, "strays");
    at(60, "strays");
    at(100, "strays", DISK);

    assertThat(at(160, "strays", DISK))
        .extracting(Notification::detail)
        .containsExactly("disk at 160");
  }

  @Test
  void aConditionThatEndedAndCameBackIsSentAgain() {
    at(0, DISK);
    at(60, DISK);
    assertThat(at(70)).isEmpty();
    at(80, DISK);

    assertThat(at(139, DISK)).isEmpty();
    assertThat(at(140, DISK)).hasSize(1);
  }

  @Test
  void aBrokenInvariantIsSentImmediatelyAndOnce() {
    assertThat(at(0, BrokenInvariant.CODE))
        .singleElement()
        .satisfies(made -> assertThat(made.headline()).isEqualTo("Invariant is broken"));
    assertThat(at(60, BrokenInvariant.CODE)).isEmpty();
  }

  @Test
  void aProcessThatStartsIsNoTrouble() {
    HealthReport starting = report(Health.starting("runner is starting"));
    watch.look(starting, T);

    assertThat(watch.look(starting, T.plusSeconds(600))).isEmpty();
  }

  @Test
  void twoConditionsAreTwoNotificationsWithinAnHour() {
    at(0, "strays", DISK);

    assertThat(at(60, "strays", DISK))
        .extracting(Notification::key)
        .doesNotHaveDuplicates()
        .hasSize(2);
  }

  private List<Notification> at(int second, String... codes) {
    var conditions =
        Stream.of(codes).map(code -> new Health.Condition(code, code + " at " + second)).toList();
    return watch.look(report(Health.degraded(conditions)), T.plusSeconds(second));
  }

  private static HealthReport report(Health health) {
    return HealthReport.of(health, 0, 0, new MachineLoad(List.of(0.1, 0.1, 0.1), 2), 0);
  }
}
