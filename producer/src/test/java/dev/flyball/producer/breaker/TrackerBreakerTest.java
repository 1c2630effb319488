package dev.flyball.producer.breaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.breaker.Breaker.State;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-32, S0-49: three failed polls leave a tracker alone for five minutes")
class TrackerBreakerTest {
  private static final Duration OPEN = Duration.ofMinutes(5);
  private static final TrackerFailure DOWN =
      TrackerFailure.of(Category.UNREACHABLE, "tracker.test answered 503; wait");

  private Instant wall = Instant.parse("2026-11-22T10:00:00Z");
  private long nanos = Long.MAX_VALUE - 5;
  private Breaker breaker = breaker();

  @Test
  @DisplayName("S0-33: an open breaker says for how long, after what, and why")
  void theThirdOpensIt() {
    fail(3);
    pass(Duration.ofSeconds(108));

    assertThat(breaker.state()).isEqualTo(State.OPEN);
    assertThat(breaker.whyNot())
        .hasValue(
            "circuit breaker open: calls to acme/ado suspended for another 3m 12s after 3 failures;"
                + " last: tracker.test answered 503; wait");
  }

  @Test
  void onlyThreeFailuresInARowOpenIt() {
    fail(2);
    assertThat(trouble().notBefore()).as("nothing pauses yet").isNull();
    breaker.read(Duration.ZERO, wall);
    fail(2);
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    assertThat(breaker.whyNot()).isEmpty();

    fail(1);
    assertThat(breaker.state()).isEqualTo(State.OPEN);
  }

  @Test
  void afterItsTimeOnePollIsLetThrough() {
    fail(3);
    pass(OPEN.minusNanos(1));
    assertThat(breaker.whyNot()).isPresent();
    pass(Duration.ofNanos(1));

    assertThat(breaker.whyNot()).isEmpty();
    assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
  }

  @Test
  void thatPollClosesItWhenItIsAnswered() {
    halfOpen();

    breaker.read(Duration.ZERO, wall);

    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    assertThat(breaker.trouble()).isNull();
    fail(2);
    assertThat(breaker.state()).as("it counts anew").isEqualTo(State.CLOSED);
  }

  @Test
  void thatPollOpensItAgainWhenItFails() {
    halfOpen();

    fail(1);

    assertThat(breaker.state()).isEqualTo(State.OPEN);
    assertThat(breaker.left()).isEqualTo(OPEN);
    assertThat(trouble().failures()).isEqualTo(4);
  }

  @Test
  void aRateLimitIsNoFailure() {
    fail(2);
    limited(Duration.ofSeconds(90));
    assertThat(breaker.left()).isEqualTo(Duration.ofSeconds(90));
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    assertThat(breaker.whyNot())
        .hasValue("acme/ado asked for a pause: calls suspended for another 1m 30s; last: wait");

    fail(1);

    assertThat(breaker.state()).as("and no success either").isEqualTo(State.OPEN);
  }

  @Test
  void backsOffWithoutRetryAfter() {
    for (int seconds : new int[] {60, 120, 240, 480, 900, 900}) {
      limited(Duration.ZERO);
      assertThat(breaker.left()).isEqualTo(Duration.ofSeconds(seconds));
      pass(breaker.left());
    }
    breaker.read(Duration.ZERO, wall);
    limited(Duration.ZERO);
    assertThat(breaker.left()).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void aRateLimitLeavesAHalfOpenOneHalfOpen() {
    halfOpen();
    limited(Duration.ofSeconds(30));
    pass(Duration.ofSeconds(30));

    assertThat(breaker.whyNot()).isEmpty();
    assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
  }

  @Test
  void aTrackerThatAsksForAPauseIsPaused() {
    breaker.read(Duration.ofSeconds(40), wall);

    assertThat(breaker.left()).isEqualTo(Duration.ofSeconds(40));
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    assertThat(trouble().failures()).isZero();
  }

  @Test
  void aFailureThatSaysHowLongIsWaitedForAlsoIfThatIsLongerThanABreakerIsOpen() {
    breaker.failed(new TrackerFailure(Category.UNREACHABLE, "503", Duration.ofSeconds(20)), wall);
    assertThat(breaker.left()).isEqualTo(Duration.ofSeconds(20));

    fail(1);
    breaker.failed(new TrackerFailure(Category.UNREACHABLE, "503", OPEN.multipliedBy(2)), wall);
    assertThat(breaker.state()).isEqualTo(State.OPEN);
    assertThat(breaker.left()).isEqualTo(OPEN.multipliedBy(2));
  }

  @Test
  void noTrackerSilencesItselfForGood() {
    limited(Duration.ofDays(365));
    assertThat(breaker.left()).isEqualTo(Breaker.LONGEST);
  }

  @Test
  @DisplayName("S0-5: a restart or a takeover is no free trigger: an open breaker stays open")
  void anotherProcessGoesOnWhereThisOneWas() {
    fail(3);
    pass(Duration.ofMinutes(2));

    restart();

    assertThat(breaker.state()).isEqualTo(State.OPEN);
    assertThat(breaker.left()).isEqualTo(Duration.ofMinutes(3));
    assertThat(breaker.whyNot()).hasValueSatisfying(it -> assertThat(it).contains("another 3m 0s"));
    pass(Duration.ofMinutes(3));
    assertThat(breaker.whyNot()).isEmpty();
    assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
  }

  @Test
  void aRestartCountsOnAndNoFailureTwice() {
    fail(1);
    restart();
    fail(1);
    assertThat(breaker.state()).isEqualTo(State.CLOSED);

    restart();
    fail(1);
    assertThat(breaker.state()).isEqualTo(State.OPEN);
  }

  @Test
  void aTrackerMayAskForAWaitUpToTheTimeOfAnOpenBreaker() {
    var patient = new Breaker.Limits(Breaker.Limits.DEFAULT.failures(), Duration.ofHours(3));
    breaker = new Breaker("acme/ado", patient, () -> nanos);

    limited(Duration.ofHours(2));
    assertThat(breaker.left()).isEqualTo(Duration.ofHours(2));
    limited(Duration.ofHours(4));
    assertThat(breaker.left()).isEqualTo(Duration.ofHours(3));
  }

  @Test
  void whatPollStateSaysAgainChangesNothing() {
    fail(3);
    Instant polledAt = wall;
    pass(Duration.ofMinutes(1));
    wall = wall.minus(Duration.ofDays(1));

    breaker.restore(trouble(), Optional.of(polledAt), wall);

    assertThat(breaker.left()).isEqualTo(Duration.ofMinutes(4));
  }

  @Test
  void aWallClockThatWasSetBackHoldsItNoLongerThanItWasOpened() {
    fail(3);
    Instant polledAt = wall;
    wall = wall.minus(Duration.ofDays(1));

    restart(polledAt);

    assertThat(breaker.left()).isEqualTo(OPEN);
    pass(OPEN);
    assertThat(breaker.whyNot()).isEmpty();
  }

  @Test
  void aTroubleThatAnotherProcessEndedIsForgotten() {
    fail(3);

    breaker.restore(null, Optional.of(wall), wall);

    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    assertThat(breaker.whyNot()).isEmpty();
  }

  @Test
  @DisplayName("health says why polls pause, and asking for it lets no poll through")
  void whatHealthSays() {
    assertThat(breaker.suspended()).isEmpty();
    limited(Duration.ofSeconds(90));
    assertThat(breaker.suspended()).hasValue("paused by its tracker for another 1m 30s: wait");
    fail(3);
    assertThat(breaker.suspended())
        .hasValue("breaker open for another 5m 0s: tracker.test answered 503; wait");
    pass(OPEN);

    assertThat(breaker.suspended()).isEmpty();
    assertThat(breaker.state()).isEqualTo(State.OPEN);
  }

  @Test
  @DisplayName("a file may always be read, also where another process recorded a trouble")
  void aFileHasNoBreaker() {
    fail(3);
    Trouble open = trouble();
    breaker = new Breaker("acme/file", null, () -> nanos);

    breaker.restore(open, Optional.empty(), wall);
    fail(3);

    assertThat(breaker.counts()).isFalse();
    assertThat(breaker.trouble()).isNull();
    assertThat(breaker.left()).isZero();
    assertThat(breaker.whyNot()).isEmpty();
    breaker.read(Duration.ofSeconds(40), wall);
    breaker.limit(Breaker.Limits.DEFAULT);
    assertThat(breaker.counts()).isTrue();
    assertThat(breaker.left()).as("its answer asked for nothing").isZero();
    assertThat(breaker.trouble()).isNull();
  }

  @Test
  @DisplayName("limits that change while it runs count for what was recorded, and its pause stays")
  void limitsMayChange() {
    fail(2);
    assertThat(breaker.whyNot()).isEmpty();
    breaker.limit(new Breaker.Limits(2, OPEN));
    assertThat(breaker.state()).isEqualTo(State.OPEN);
    fail(1);
    breaker.limit(new Breaker.Limits(4, Duration.ofHours(1)));

    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    assertThat(breaker.left()).isEqualTo(OPEN);
    breaker.read(Duration.ZERO, wall);
    assertThat(breaker.left()).as("an answer ends every pause").isZero();
  }

  @Test
  void theFigureOfEachState() {
    assertThat(List.of(State.CLOSED, State.HALF_OPEN, State.OPEN))
        .extracting(State::figure)
        .containsExactly(0, 1, 2);
  }

  @Test
  void limitsOfNothingAreRejected() {
    assertThat(new Breaker.Limits(1, Duration.ofNanos(1)).failures()).isEqualTo(1);
    assertThatThrownBy(() -> new Breaker.Limits(0, OPEN))
        .hasMessageStartingWith("breaker.failures ");
    assertThatThrownBy(() -> new Breaker.Limits(1, Duration.ZERO))
        .hasMessageStartingWith("breaker.open ");
  }

  private void halfOpen() {
    fail(3);
    pass(OPEN);
    assertThat(breaker.whyNot()).isEmpty();
  }

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      breaker.failed(DOWN, wall);
    }
  }

  private void limited(Duration retryAfter) {
    breaker.failed(new TrackerFailure(Category.RATE_LIMITED, "wait", retryAfter), wall);
  }

  private void pass(Duration time) {
    wall = wall.plus(time);
    nanos += time.toNanos();
  }

  private void restart() {
    Instant notBefore = trouble().notBefore();
    restart(notBefore == null ? wall : notBefore.minus(OPEN));
  }

  /** Another process, with another monotonic clock, which knows only what is committed. */
  private void restart(Instant polledAt) {
    var state = new PollState("producer-1", 1, 1, "c", polledAt, trouble(), null, null);
    PollState read = RecordJson.read(RecordJson.bytes(state), PollState.class);
    nanos = 17;
    breaker = breaker();
    breaker.restore(read.trouble(), Optional.ofNullable(read.polledAt()), wall);
  }

  private Trouble trouble() {
    @Nullable Trouble trouble = breaker.trouble();
    return Objects.requireNonNull(trouble);
  }

  private Breaker breaker() {
    return new Breaker("acme/ado", Breaker.Limits.DEFAULT, () -> nanos);
  }
}
