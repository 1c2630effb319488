package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseTimesTest {

  @Test
  void scaledKeepsTheProportions() {
    LeaseTimes scaled = LeaseTimes.scaled(Duration.ofMillis(4_500));

    assertThat(scaled.renew()).hasMillis(1_000);
    assertThat(scaled.margin()).hasMillis(1_000);
    assertThat(scaled.late()).hasMillis(500);
    assertThat(scaled.retry()).hasMillis(200);
    assertThat(scaled.herd()).hasMillis(50);
  }

  @ParameterizedTest
  @CsvSource({
    "0, ledger.lease",
    "1, ledger.renew",
    "2, ledger.margin",
    "3, ledger.late",
    "4, ledger.coolDown",
    "5, ledger.retry",
    "7, ledger.heartbeat",
  })
  void aTimeOfNothingIsRejectedByItsName(int setting, String key) {
    assertThatThrownBy(() -> with(setting, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(key + " ");
  }

  @Test
  void delaysMayBeNothingButNotLess() {
    assertThat(with(6, Duration.ZERO).herd()).isZero();
    assertThat(with(8, Duration.ZERO).stagger()).isZero();
    assertThatThrownBy(() -> with(6, Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> with(8, Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theStaggerIsConfiguredByItself() {
    LeaseTimes d = LeaseTimes.DEFAULTS;
    LeaseTimes other = LeaseTimes.of(d.lease(), d.renew(), d.margin(), Duration.ofSeconds(3));

    assertThat(other).isEqualTo(with(8, Duration.ofSeconds(3)));
  }

  private static LeaseTimes with(int setting, Duration value) {
    LeaseTimes d = LeaseTimes.DEFAULTS;
    Duration[] v = {
      d.lease(),
      d.renew(),
      d.margin(),
      d.late(),
      d.coolDown(),
      d.retry(),
      d.herd(),
      d.heartbeat(),
      d.stagger()
    };
    v[setting] = value;
    return new LeaseTimes(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]);
  }

  @Test
  void aLeaseThatLeavesNothingToLiveForIsRefusedByName() {
    assertThatThrownBy(() ->
            LeaseTimes.of(
                Duration.ofSeconds(20),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ZERO))
        .hasMessageContaining("ledger.lease")
        .hasMessageContaining("ledger.margin + ledger.renew");
  }
}
