package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseTimesTest {

  @Test
  void whatIsNotConfiguredIsInProportionToTheLease() {
    var times =
        new LeaseTimes(
            Duration.ofMillis(4_500),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3));

    assertThat(times.late()).hasMillis(500);
    assertThat(times.coolDown()).hasSeconds(1);
    assertThat(times.retry()).hasMillis(200);
    assertThat(times.heartbeat()).hasSeconds(3);
  }
}
