package dev.flyball.runner.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GateLimitsTest {
  @Test
  void theLeastAndTheMostOfEachIsAllowed() {
    assertThat(new GateLimits(Double.MIN_VALUE, 0, 1, 1, 1).strayWarn()).isEqualTo(1);
    assertThat(new GateLimits(1000, Long.MAX_VALUE, 100, 5, 5).pressurePercent()).isEqualTo(100);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 40, 10, 20, gate.load",
    "-1, 0, 40, 10, 20, gate.load",
    "NaN, 0, 40, 10, 20, gate.load",
    "1, -1, 40, 10, 20, gate.memory",
    "1, 0, 0, 10, 20, gate.pressure",
    "1, 0, 101, 10, 20, gate.pressure",
    "1, 0, 40, 0, 20, stray process limits",
    "1, 0, 40, 10, 9, stray process limits",
  })
  void aLimitOutOfBoundsIsRejectedByName(
      double load, long memory, int pressure, int warn, int sweep, String key) {
    assertThatThrownBy(() -> new GateLimits(load, memory, pressure, warn, sweep))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(key + " ");
  }
}
