package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseTimesTest {

  @Test
  void whatIsNotConfiguredIsInProportionToTheLease() {
    assertThat(
            LeaseTimes.of(
                Duration.ofMillis(4_500),
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ofSeconds(3)))
        .isEqualTo(
            new LeaseTimes(
                Duration.ofMillis(4_500),
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ofMillis(500),
                Duration.ofSeconds(1),
                Duration.ofMillis(200),
                Duration.ofMillis(50),
                Duration.ofSeconds(3),
                Duration.ofSeconds(3)));
  }
}
