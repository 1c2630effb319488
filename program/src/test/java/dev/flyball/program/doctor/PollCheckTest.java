package dev.flyball.program.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TrackerFailure;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-33: doctor says of each tracker how its polls go")
final class PollCheckTest {
  private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");

  private static final SourceConfig ADO =
      new SourceConfig.Redmine(
          new SourceConfig.Identity("acme", "ado", Duration.ofMinutes(5)),
          SourceRules.DEFAULT,
          URI.create("https://ado.test"),
          null,
          "",
          new Credential.None());

  private final List<String> asked = new ArrayList<>();
  private Optional<TrackerFailure> answer = Optional.empty();

  @Test
  void aTrackerThatAnswersIsTold() {
    assertThat(found(state(null)))
        .isEqualTo(Finding.ok("polls acme/ado", "last poll 1m 48s ago; answers"));
  }

  @Test
  void aTrackerThatNobodyPolledYetIsNoFault() {
    assertThat(found(null)).isEqualTo(Finding.ok("polls acme/ado", "never polled; answers"));
  }

  @Test
  void anOpenBreakerIsToldWithHowLongIsLeftAndTheMend() {
    var trouble = new Trouble("auth", "401: the token expired", 3, 0, NOW.plusSeconds(192));

    assertThat(found(state(trouble)))
        .isEqualTo(
            Finding.degraded(
                "polls acme/ado",
                "last poll 1m 48s ago, auth, 3 failures in a row; breaker open for another 3m12s:"
                    + " 401: the token expired",
                "renew the token or its rights; it is tried when the time is up"));
  }

  @Test
  void anOpenBreakerWhoseTimeIsUpIsTriedWithTheNextPoll() {
    var trouble = new Trouble("unreachable", "503", 4, 0, NOW.minusSeconds(1));

    assertThat(found(state(trouble)).found()).isEqualTo("last poll 1m 48s ago; answers");
    assertThat(asked).containsExactly("c");
  }

  @Test
  void aTrackerThatIsToBeLeftAloneIsNotAsked() {
    found(state(new Trouble("unreachable", "503", 3, 0, NOW.plusSeconds(1))));

    assertThat(asked).isEmpty();
  }

  @Test
  void aTrackerThatDoesNotAnswerIsToldWithTheMend() {
    answer =
        Optional.of(
            TrackerFailure.of(TrackerFailure.Category.UNREACHABLE, "ado.test does not answer"));

    assertThat(found(state(null)))
        .isEqualTo(
            Finding.degraded(
                "polls acme/ado",
                "last poll 1m 48s ago; asked now, unreachable: ado.test does not answer",
                "look whether the tracker is up and can be reached from here"));
  }

  @Test
  void aTokenThatDoctorLacksIsNotSaidToBeWaitedFor() {
    answer = Optional.of(TrackerFailure.of(TrackerFailure.Category.AUTH, "KEY is not set"));

    assertThat(found(state(null)).fix())
        .isEqualTo(
            "set the token if the check of the source says that it is missing, otherwise renew it"
                + " or its rights; doctor uses the credential of the shell that starts it");
  }

  @Test
  void aPauseThatTheTrackerAskedForNeedsNobody() {
    var trouble = new Trouble("rate limited", "wait", 0, 1, NOW.plusSeconds(30));

    assertThat(found(state(trouble)).state()).isEqualTo(Finding.State.OK);
    assertThat(found(state(trouble)).found()).contains("paused by its tracker for another 30s");
  }

  private static PollState state(@Nullable Trouble trouble) {
    return new PollState("producer-1", 1, 1, "c", NOW.minusSeconds(108), trouble);
  }

  private Finding found(@Nullable PollState state) {
    var check =
        new PollCheck(
            BreakerLimits.DEFAULT,
            NOW,
            () -> 7,
            (source, cursor) -> {
              asked.add(String.valueOf(cursor));
              return answer;
            });
    return check.one(ADO, state);
  }
}
