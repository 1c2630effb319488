package dev.flyball.writeback;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Write-back spaces its requests, and pauses while the polls of its tracker pause")
class DeliveryPaceTest {
  private static final TrackerFailure DOWN = TrackerFailure.of(Category.UNREACHABLE, "down");

  private long now;
  private Optional<String> leftAlone = Optional.empty();
  private final AtomicInteger looks = new AtomicInteger();
  private final DeliveryPace pace =
      new DeliveryPace(
          () -> now,
          () -> {
            looks.incrementAndGet();
            return leftAlone;
          });

  @Test
  void theFirstMayBeToldAtOnceAndTheNextASecondLater() {
    assertThat(isFree()).isTrue();
    pace.told();

    assertThat(isFreeAfter(Duration.ofMillis(999))).isFalse();
    assertThat(isFreeAfter(Duration.ofMillis(1))).isTrue();
  }

  @Test
  void failuresInARowWaitLongerAndLongerUpToAFewMinutes() {
    long[] waits = {5, 10, 20, 40, 80, 160, 320, 320};
    for (long seconds : waits) {
      assertThat(pace.failed(DOWN)).isEqualTo(Duration.ofSeconds(seconds));
      assertThat(isFreeAfter(Duration.ofSeconds(seconds - 1))).isFalse();
      assertThat(isFreeAfter(Duration.ofSeconds(1))).isTrue();
    }
    pace.told();

    assertThat(pace.failures()).isZero();
    assertThat(pace.failed(DOWN)).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aTrackerThatSaysHowLongIsLeftAloneForThatTimeAndElseForAMinute() {
    var hour = new TrackerFailure(Category.RATE_LIMITED, "too many", Duration.ofHours(1));

    assertThat(pace.failed(hour)).isEqualTo(Duration.ofHours(1));
    assertThat(isFreeAfter(Duration.ofHours(1).minusNanos(1))).isFalse();
    pace.told();
    assertThat(pace.failed(TrackerFailure.of(Category.RATE_LIMITED, "too many")))
        .isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  @DisplayName("S0-32: while its breaker is open nothing is asked; it goes on by itself")
  void aTrackerThatThePollsLeaveAloneIsNotAskedUntilTheyAskItAgain() {
    leftAlone = Optional.of("breaker open for another 5m0s: down");

    assertThat(isFree()).isFalse();
    assertThat(pace.leftAlone()).isEqualTo(leftAlone);
    int before = looks.get();
    assertThat(isFreeAfter(Duration.ofMillis(4_999))).isFalse();
    assertThat(looks).as("looked at no more than every 5 s").hasValue(before);

    leftAlone = Optional.empty();
    assertThat(isFreeAfter(Duration.ofMillis(1))).isTrue();
    assertThat(pace.failures()).as("to wait is no failure").isZero();
  }

  private boolean isFreeAfter(Duration time) {
    now += time.toNanos();
    return isFree();
  }

  /** Asks as the loop does. */
  private boolean isFree() {
    return pace.isTime() && pace.leftAlone().isEmpty();
  }
}
