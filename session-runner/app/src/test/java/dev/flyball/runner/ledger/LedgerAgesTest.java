package dev.flyball.runner.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.runner.protocol.LeaseTimes;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A heartbeat that fails is seen before it ends a session (S2-9)")
class LedgerAgesTest {
  private static final LeaseTimes TIMES = LeaseTimes.DEFAULTS;

  @Test
  void entriesInTimeAreNoTrouble() {
    assertThat(troubles(Duration.ZERO, Duration.ZERO)).isEmpty();
    assertThat(troubles(TIMES.heartbeat().multipliedBy(3), TIMES.renew().multipliedBy(2)))
        .isEmpty();
  }

  @Test
  void renewalsThatFailForHalfALeaseAreSaidWhileTheFenceIsStillAhead() {
    Duration age = Duration.ofMillis(22_501);

    assertThat(age).isLessThan(TIMES.lease().minus(TIMES.margin()));
    assertThat(troubles(Duration.ZERO, age))
        .containsExactly(
            "no renewal took effect for 22 s; sessions are ended after 35 s: is the broker there?");
  }

  @Test
  void aLedgerThatIsSilentForThreeRenewalsIsReported() {
    assertThat(troubles(Duration.ofMillis(90_001), Duration.ZERO))
        .containsExactly("no ledger entry for 90 s: is the broker there?");
  }

  private static List<String> troubles(Duration read, Duration renewal) {
    return Health.degraded(new LedgerLoop.Ages(read, renewal).troubles(TIMES)).reasons();
  }
}
