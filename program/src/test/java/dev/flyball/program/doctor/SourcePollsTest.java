package dev.flyball.program.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.breaker.Breaker;
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
final class SourcePollsTest {
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
  void aTrackerThatAnswersIsReported() {
    assertThat(found(state(null)))
        .isEqualTo(Finding.ok("polls acme/ado", "last poll 1m 48s ago; answers"));
  }

  @Test
  void aTrackerThatWasNeverPolledIsNoFault() {
    assertThat(found(null)).isEqualTo(Finding.ok("polls acme/ado", "never polled; answers"));
  }

  @Test
  void anOpenBreakerIsReportedWithItsRemainingTimeAndTheFix() {
    var trouble = new Trouble("auth", "401: the token expired", 3, 0, NOW.plusSeconds(192));

    Finding found = found(state(trouble));
    assertThat(found.check()).isEqualTo("polls acme/ado");
    assertThat(found.state()).isEqualTo(Finding.State.DEGRADED);
    assertThat(found.found())
        .contains(" 1m 48s ago", ", auth, ", " 3 failures ", " 3m 12s", trouble.reason());
    assertThat(found.fix()).contains(" token ");
  }

  @Test
  void anOpenBreakerWhoseTimeIsUpIsTriedWithTheNextPoll() {
    var trouble = new Trouble("unreachable", "503", 4, 0, NOW.minusSeconds(1));

    assertThat(found(state(trouble)).found()).isEqualTo("last poll 1m 48s ago; answers");
    assertThat(asked).containsExactly("c");
  }

  @Test
  void aPausedTrackerIsNotAsked() {
    found(state(new Trouble("unreachable", "503", 3, 0, NOW.plusSeconds(1))));

    assertThat(asked).isEmpty();
  }

  @Test
  void aTrackerThatDoesNotAnswerIsReportedWithTheFix() {
    answer =
        Optional.of(
            TrackerFailure.of(TrackerFailure.Category.UNREACHABLE, "ado.test does not answer"));

    Finding found = found(state(null));
    assertThat(found.state()).isEqualTo(Finding.State.DEGRADED);
    assertThat(found.found())
        .contains(" 1m 48s ago", " unreachable: ", answer.orElseThrow().reason());
    assertThat(found.fix()).isNotBlank().doesNotContain("token");
  }

  @Test
  void aTokenThatDoctorLacksIsNotSaidToBeWaitedFor() {
    answer = Optional.of(TrackerFailure.of(TrackerFailure.Category.AUTH, "KEY is not set"));

    Finding waiting = found(state(new Trouble("auth", "401", 3, 0, NOW.plusSeconds(192))));
    assertThat(found(state(null)).fix()).contains("doctor").isNotEqualTo(waiting.fix());
  }

  @Test
  void aPauseThatTheTrackerAskedForNeedsNoAction() {
    var trouble = new Trouble("rate limited", "wait", 0, 1, NOW.plusSeconds(30));

    assertThat(found(state(trouble)).state()).isEqualTo(Finding.State.OK);
    assertThat(found(state(trouble)).found()).contains("paused by its tracker for another 30s");
  }

  private static PollState state(@Nullable Trouble trouble) {
    return new PollState("producer-1", 1, 1, "c", NOW.minusSeconds(108), trouble, null, null);
  }

  private Finding found(@Nullable PollState state) {
    var check =
        new SourceCheck(
            Breaker.Limits.DEFAULT,
            NOW,
            (source, cursor) -> {
              asked.add(String.valueOf(cursor));
              return answer;
            });
    return check.poll(ADO, state);
  }
}
