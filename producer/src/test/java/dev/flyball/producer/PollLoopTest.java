package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-5: a start is no free trigger, the interval counts from the last poll")
class PollLoopTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
  private static final Duration INTERVAL = Duration.ofMinutes(5);

  @Test
  void aSourceThatWasNeverPolledIsDueAtOnce() {
    assertThat(wait(Optional.empty())).isZero();
  }

  @Test
  void aRestartWaitsForWhatIsLeftOfTheInterval() {
    assertThat(wait(Optional.of(NOW.minusSeconds(60)))).isEqualTo(Duration.ofMinutes(4));
  }

  @Test
  void aPollLongAgoIsDue() {
    assertThat(wait(Optional.of(NOW.minusSeconds(3_600)))).isNegative();
  }

  @Test
  void aClockThatWasSetBackDelaysByOneIntervalAtMost() {
    assertThat(wait(Optional.of(NOW.plusSeconds(86_400)))).isEqualTo(INTERVAL);
  }

  private static Duration wait(Optional<Instant> polledAt) {
    return PollLoop.untilDue(NOW, polledAt, INTERVAL);
  }
}
