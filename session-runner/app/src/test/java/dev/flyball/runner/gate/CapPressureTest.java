package dev.flyball.runner.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("When the global cap counts as reached (S0-28)")
class CapPressureTest {
  private static final Duration TEN = Duration.ofSeconds(10);
  private final CapPressure pressure = new CapPressure();

  @Test
  void itIsReachedOnceItStopsAClaim() {
    pressure.observe(false, 3, 0);
    assertThat(pressure.reached()).isEmpty();

    pressure.observe(true, 3, 1);
    assertThat(pressure.reached()).hasValue(3);
  }

  @Test
  @DisplayName("a permit that is free for a moment is no end of it; ten calm seconds are")
  void momentsDoNotCount() {
    pressure.observe(true, 3, 5);
    pressure.observe(false, 3, 5 + TEN.toNanos() - 1);
    assertThat(pressure.reached()).hasValue(3);

    pressure.observe(false, 3, 5 + TEN.toNanos());
    assertThat(pressure.reached()).isEmpty();
  }

  @Test
  void aNewCapIsSaid() {
    pressure.observe(true, 3, 0);
    pressure.observe(true, 1, 1);

    assertThat(pressure.reached()).hasValue(1);
  }
}
