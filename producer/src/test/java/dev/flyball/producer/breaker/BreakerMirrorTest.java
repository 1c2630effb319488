package dev.flyball.producer.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-32, S0-33: who asks a tracker beside its polls leaves it alone as they do")
class BreakerMirrorTest {
  private static final Instant START = Instant.parse("2026-11-22T08:00:00Z");

  private Instant wall = START;
  private long nanos;
  private BreakerLimits limits = BreakerLimits.DEFAULT;
  private @Nullable PollState state;
  private final Supplier<Optional<String>> mirror =
      Breaker.mirror("acme/web", () -> state, () -> limits, () -> wall, () -> nanos);

  @Test
  void aTrackerThatWasNeverPolledOrAnswersMayBeAsked() {
    assertThat(mirror.get()).isEmpty();
    state = state(null);
    assertThat(mirror.get()).isEmpty();
  }

  @Test
  void anOpenBreakerOfThePollingProducerAppliesForItsTime() {
    state = state(new Trouble("unreachable", "down", 3, 0, START.plusSeconds(300)));
    assertThat(mirror.get()).contains("breaker open for another 5m 0s: down");

    pass(Duration.ofSeconds(299));
    assertThat(mirror.get()).contains("breaker open for another 1s: down");
    pass(Duration.ofSeconds(1));
    assertThat(mirror.get()).isEmpty();
  }

  @Test
  void aPauseThatTheTrackerAskedForCountsUntilAPollEndsIt() {
    state = state(new Trouble("rate limited", "wait", 0, 1, START.plusSeconds(60)));
    assertThat(mirror.get()).contains("paused by its tracker for another 1m 0s: wait");

    state = state(null);
    assertThat(mirror.get()).isEmpty();
  }

  @Test
  void otherLimitsCountAtOnce() {
    limits = new BreakerLimits(3, Duration.ofHours(3));
    state = state(new Trouble("unreachable", "down", 3, 0, START.plus(Duration.ofHours(3))));

    assertThat(mirror.get()).contains("breaker open for another 3h 0m: down");
  }

  private void pass(Duration time) {
    wall = wall.plus(time);
    nanos += time.toNanos();
  }

  private static PollState state(@Nullable Trouble trouble) {
    return new PollState("p2", 1, 1, "c1", START, trouble, null);
  }
}
