package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.breaker.TrackerBreaker;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.lease.PollWitness;
import dev.flyball.tracker.OptIn;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Changes each field of poll-state; a reader must then decide differently. */
@DisplayName("S0-10: every field of poll-state that is written is read")
class EveryFieldIsReadTest {
  private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
  private static final Duration LEASE = Duration.ofMinutes(3);
  private static final OptIn START_NOW = new OptIn(new OptIn.Start.Now(), List.of(), null, null);
  private static final Trouble TROUBLE =
      new Trouble("auth", "401", 3, 1, NOW.plus(Duration.ofMinutes(2)));
  private static final PollState STATE =
      new PollState("other", 7, 3, "c1 poll=p fingerprint=f", NOW.minusSeconds(60), TROUBLE, NOW);

  private static final Map<String, PollState> ALTERED =
      Map.ofEntries(
          Map.entry("owner", with("me", 7, 3, "c1 poll=p fingerprint=f", 60, TROUBLE)),
          Map.entry("epoch", with("other", 8, 3, "c1 poll=p fingerprint=f", 60, TROUBLE)),
          Map.entry("beat", with("other", 7, 4, "c1 poll=p fingerprint=f", 60, TROUBLE)),
          Map.entry("cursor", with("other", 7, 3, "c2 poll=p fingerprint=f", 60, TROUBLE)),
          Map.entry("polledAt", with("other", 7, 3, "c1 poll=p fingerprint=f", 61, TROUBLE)),
          Map.entry("trouble", with("other", 7, 3, "c1 poll=p fingerprint=f", 60, null)),
          Map.entry(
              "firstPoll",
              new PollState(
                  "other",
                  7,
                  3,
                  "c1 poll=p fingerprint=f",
                  NOW.minusSeconds(60),
                  TROUBLE,
                  NOW.minusSeconds(60))),
          Map.entry("category", troubled(new Trouble("malformed", "401", 3, 1, at(120)))),
          Map.entry("reason", troubled(new Trouble("auth", "403", 3, 1, at(120)))),
          Map.entry("failures", troubled(new Trouble("auth", "401", 2, 1, at(120)))),
          Map.entry("limited", troubled(new Trouble("auth", "401", 3, 2, at(120)))),
          Map.entry("notBefore", troubled(new Trouble("auth", "401", 3, 1, at(121)))));

  @Test
  void everyFieldIsLookedAt() {
    var fields = new TreeSet<String>();
    for (Class<?> type : List.of(PollState.class, Trouble.class)) {
      Stream.of(type.getRecordComponents()).map(RecordComponent::getName).forEach(fields::add);
    }

    assertThat(ALTERED.keySet()).isEqualTo(fields);
  }

  static Stream<String> fields() {
    return ALTERED.keySet().stream().sorted();
  }

  @ParameterizedTest
  @MethodSource("fields")
  void aReaderDecidesOtherwise(String field) {
    assertThat(answers(Objects.requireNonNull(ALTERED.get(field)))).isNotEqualTo(answers(STATE));
  }

  private static List<Object> answers(PollState state) {
    var witness = new PollWitness(LEASE);
    witness.observe(STATE, 0);
    long half = LEASE.toNanos() / 2;
    witness.observe(state, half);
    Optional<Instant> polledAt = Optional.ofNullable(state.polledAt());
    var breaker = new TrackerBreaker("acme/ado", BreakerLimits.DEFAULT, () -> 0);
    breaker.restore(state.trouble(), polledAt, NOW);
    var answers = new ArrayList<Object>();
    answers.add(witness.status("me", half));
    answers.add(witness.status("me", 2 * half));
    answers.add(PollCursor.parse(state.cursor()));
    answers.add(new Due(Duration.ZERO, () -> 0).left(polledAt, Duration.ofMinutes(5), NOW));
    answers.add(breaker.left());
    answers.add(breaker.state());
    answers.add(breaker.whyNot());
    answers.add(PollReporter.of(breaker.trouble()));
    answers.add(
        Optional.ofNullable(
            START_NOW.exclusionOf(
                DeltaTracker.item("acme", "ado", "1", "a", "Active", NOW.minusSeconds(30)),
                "",
                state.firstPoll())));
    breaker.failed(TrackerFailure.of(Category.RATE_LIMITED, "wait"), NOW);
    answers.add(breaker.left());
    return answers;
  }

  private static PollState troubled(Trouble trouble) {
    return with("other", 7, 3, "c1 poll=p fingerprint=f", 60, trouble);
  }

  private static PollState with(
      String owner, long epoch, long beat, String cursor, int ago, @Nullable Trouble trouble) {
    return new PollState(owner, epoch, beat, cursor, NOW.minusSeconds(ago), trouble, NOW);
  }

  private static Instant at(int seconds) {
    return NOW.plusSeconds(seconds);
  }
}
