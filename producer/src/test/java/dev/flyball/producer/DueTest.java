package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-5: a start is no free trigger, the interval counts from the last poll")
class DueTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
  private static final Duration INTERVAL = Duration.ofMinutes(5);

  private long nanos;
  private final Due due = new Due(Duration.ZERO, () -> nanos);

  @Test
  void aSourceThatWasNeverPolledIsDueAtOnce() {
    assertThat(left(Optional.empty())).isZero();
  }

  @Test
  void aRestartWaitsForWhatIsLeftOfTheInterval() {
    assertThat(left(Optional.of(NOW.minusSeconds(60)))).isEqualTo(Duration.ofMinutes(4));
  }

  @Test
  void aPollLongAgoIsDue() {
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

  @Test
  void sourcesOfOneStartTakeTurnsWithinATenthOfTheInterval() {
    List<SourceConfig> all = Stream.of("a", "b", "c").map(DueTest::tracker).toList();

    assertThat(all)
        .extracting(source -> Due.turn(source, all))
        .containsExactly(Duration.ZERO, Duration.ofSeconds(10), Duration.ofSeconds(20));
  }

  @Test
  void aTurnOfALongIntervalIsLessThanHalfAMinute() {
    List<SourceConfig> all =
        Stream.of("a", "b", "c").map(name -> tracker(name, Duration.ofDays(1))).toList();

    assertThat(all)
        .extracting(source -> Due.turn(source, all))
        .containsExactly(Duration.ZERO, Duration.ofSeconds(10), Duration.ofSeconds(20));
  }

  @Test
  void aSourceThatIsOverdueByMoreThanItsIntervalNeedsNoTurn() {
    var second = new Due(Duration.ofSeconds(10), () -> nanos);

    assertThat(second.left(Optional.of(NOW.minusSeconds(600)), INTERVAL, NOW))
        .isEqualTo(Duration.ofSeconds(10));
    assertThat(second.left(Optional.of(NOW.minusSeconds(601)), INTERVAL, NOW)).isNegative();
  }

  @Test
  void oneTrackerAndAFileNeedNoTurn() {
    SourceConfig one = tracker("a");
    SourceConfig file = SourceConfig.Jsonl.of(Path.of("items.jsonl"));

    assertThat(Due.turn(one, List.of(file, one))).isZero();
    assertThat(Due.turn(file, List.of(one, tracker("b"), file))).isZero();
  }

  @Test
  void aTurnDelaysWhatIsDueAtTheStartAndNothingElse() {
    var second = new Due(Duration.ofSeconds(10), () -> nanos);

    assertThat(second.left(Optional.empty(), INTERVAL, NOW)).isEqualTo(Duration.ofSeconds(10));
    assertThat(second.left(Optional.of(NOW.minusSeconds(400)), INTERVAL, NOW))
        .isEqualTo(Duration.ofSeconds(10));
    assertThat(second.left(Optional.of(NOW), INTERVAL, NOW)).isEqualTo(INTERVAL);
    nanos += Duration.ofSeconds(10).toNanos();
    assertThat(second.left(Optional.empty(), INTERVAL, NOW)).isZero();
  }

  private static SourceConfig tracker(String name) {
    return tracker(name, INTERVAL);
  }

  private static SourceConfig tracker(String name, Duration interval) {
    return new SourceConfig.GitHub(
        new SourceConfig.Identity("acme", name, interval),
        SourceRules.DEFAULT,
        URI.create("https://api.github.com"),
        "org/" + name,
        new Credential.None());
  }

  private Duration left(Optional<Instant> polledAt) {
    return due.left(polledAt, INTERVAL, NOW);
  }
}
