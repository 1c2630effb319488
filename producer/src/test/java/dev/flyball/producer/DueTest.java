package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-5: a start is no free trigger, the interval counts from the last poll")
class DueTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
  private static final Duration INTERVAL = Duration.ofMinutes(5);

  private long nanos;
  private final Due due = new Due(() -> nanos);

  @Test
  void itIsDueAnIntervalAfterTheLastPollAlsoAfterARestart() {
    assertThat(left(Optional.empty())).as("never polled").isZero();
    assertThat(left(Optional.of(NOW.minusSeconds(60)))).isEqualTo(Duration.ofMinutes(4));
    assertThat(left(Optional.of(NOW.minusSeconds(3_600)))).isNegative();
  }

  @Test
  void aClockThatWasSetBackDelaysByOneInterval() {
    Optional<Instant> tomorrow = Optional.of(NOW.plusSeconds(86_400));
    assertThat(left(tomorrow)).isEqualTo(INTERVAL);

    nanos += INTERVAL.toNanos();

    assertThat(left(tomorrow)).as("though the wall clock still says tomorrow").isZero();
  }

  @Test
  void anotherPollIsAnotherWait() {
    left(Optional.of(NOW.minusSeconds(60)));
    nanos += INTERVAL.toNanos();

    assertThat(left(Optional.of(NOW))).isEqualTo(INTERVAL);
  }

  @Test
  void aShorterIntervalCountsAtOnce() {
    left(Optional.of(NOW));

    assertThat(due.left(Optional.of(NOW), Duration.ofMinutes(1), NOW))
        .isEqualTo(Duration.ofMinutes(1));
  }

  private Duration left(Optional<Instant> polledAt) {
    return due.left(polledAt, INTERVAL, NOW);
  }
}
