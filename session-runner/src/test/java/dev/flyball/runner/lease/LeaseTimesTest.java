package dev.flyball.runner.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseTimesTest {

  @Test
  void scaledKeepsTheProportions() {
    LeaseTimes scaled = LeaseTimes.scaled(Duration.ofMillis(4_500));

    assertThat(scaled.renew()).hasMillis(1_000);
    assertThat(scaled.margin()).hasMillis(1_000);
    assertThat(scaled.late()).hasMillis(500);
    assertThat(scaled.retry()).hasMillis(200);
    assertThat(scaled.herd()).hasMillis(20);
  }

  @Test
  void aLeaseThatLeavesNothingToLiveForIsRefusedByName() {
    assertThatThrownBy(() ->
            LeaseTimes.of(Duration.ofSeconds(20), Duration.ofSeconds(10), Duration.ofSeconds(10)))
        .hasMessageContaining("ledger.lease")
        .hasMessageContaining("ledger.margin + ledger.renew");
  }
}
