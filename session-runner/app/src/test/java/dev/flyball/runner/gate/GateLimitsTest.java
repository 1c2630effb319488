package dev.flyball.runner.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GateLimitsTest {
  @Test
  void theLeastAndTheMostOfEachIsAllowed() {
    assertThat(new GateLimits(Double.MIN_VALUE, 0, 1).pressurePercent()).isEqualTo(1);
    assertThat(new GateLimits(1000, Long.MAX_VALUE, 100).pressurePercent()).isEqualTo(100);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 40, gate.load",
    "-1, 0, 40, gate.load",
    "NaN, 0, 40, gate.load",
    "1, -1, 40, gate.memory",
    "1, 0, 0, gate.pressure",
    "1, 0, 101, gate.pressure",
  })
  void aLimitOutOfBoundsIsRejectedByName(double load, long memory, int pressure, String key) {
    assertThatThrownBy(() -> new GateLimits(load, memory, pressure))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(key + " ");
  }
}
