package dev.flyball.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SettableClockTest {
  @Test
  void timePassesOnBothReadingsAndAStepOnTheWallOnly() {
    var clock = new SettableClock();
    clock.advance(Duration.ofSeconds(2));
    clock.stepWall(Duration.ofHours(-1));
    assertThat(clock.nanos()).isEqualTo(2_000_000_000L);
    assertThat(clock.instant()).isEqualTo(SettableClock.START.plusSeconds(2).minusSeconds(3600));
  }
}
