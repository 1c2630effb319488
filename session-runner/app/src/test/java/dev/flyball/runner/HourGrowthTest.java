package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Growth within an hour (S4-7)")
class HourGrowthTest {
  private final ProcessMonitor.HourGrowth growth = new ProcessMonitor.HourGrowth();

  @Test
  void itCountsFromTheFirstSampleAtFirst() {
    assertThat(growth.growth()).isZero();
    at(0, 100);
    assertThat(growth.growth()).isZero();
    at(5, 130);
    assertThat(growth.growth()).isEqualTo(30);
  }

  @Test
  void readingsOlderThanAnHourAreDropped() {
    at(0, 100);
    at(1, 150);
    at(60, 200);
    assertThat(growth.growth()).isEqualTo(100);

    at(61, 200);
    assertThat(growth.growth()).isEqualTo(50);

    at(500, 170);
    assertThat(growth.growth()).isZero();
  }

  @Test
  @DisplayName("it is always of the newest sample, though one a minute is kept")
  void samplesBetweenMinutesShow() {
    growth.sample(1, 0);
    growth.sample(2, Duration.ofSeconds(5).toNanos());
    assertThat(growth.growth()).isEqualTo(1);

    at(60, 9);
    growth.sample(9, Duration.ofMinutes(60).plusSeconds(4).toNanos());
    assertThat(growth.growth()).isZero();
  }

  private void at(int minute, double value) {
    growth.sample(value, Duration.ofMinutes(minute).toNanos());
  }
}
