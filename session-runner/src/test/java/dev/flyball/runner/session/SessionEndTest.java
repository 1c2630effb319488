package dev.flyball.runner.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.agent.AgentAnswer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SessionEndTest {
  private static final AgentAnswer ANSWERED =
      new AgentAnswer.Complete("text", List.of(), null, null);
  private static final AgentAnswer BROKEN = new AgentAnswer.Broken("exit 3", "");
  private static final EndCause WALL =
      new EndCause.TimedOut(EndCause.Clock.WALL, Duration.ofMinutes(10));

  @ParameterizedTest
  @MethodSource("ends")
  void everyCauseHasItsOutcomeAndAReason(
      EndCause cause, AgentAnswer answer, boolean limited, Outcome outcome, String reason) {
    SessionEnd end = SessionEnd.classify(cause, answer, limited ? "provider limit" : null);

    assertThat(end.outcome()).isEqualTo(outcome);
    assertThat(String.valueOf(end.reason())).contains(reason);
  }

  // Another session may start for the item at any moment: the ladder's patience is not theirs.
  @Test
  void onlyOneWhoseLeaseMayBeOverIsKilledWithoutALadder() {
    assertThat(
            Stream.of(
                    new EndCause.Exited(),
                    new EndCause.StartFailed("r"),
                    WALL,
                    new EndCause.OverLimit("r"),
                    new EndCause.Unwanted("r"),
                    new EndCause.Fenced(),
                    new EndCause.Lost("r"),
                    new EndCause.Interrupted("r"))
                .filter(EndCause::atOnce))
        .containsExactly(new EndCause.Fenced(), new EndCause.Lost("r"));
  }

  static Stream<Arguments> ends() {
    return Stream.of(
        Arguments.of(new EndCause.Exited(), ANSWERED, false, Outcome.COMPLETED, "null"),
        Arguments.of(new EndCause.Exited(), BROKEN, false, Outcome.FAILED, "exit 3"),
        Arguments.of(new EndCause.Exited(), BROKEN, true, Outcome.INTERRUPTED, "provider limit"),
        Arguments.of(
            new EndCause.StartFailed("not found"), BROKEN, false, Outcome.FAILED, "not found"),
        Arguments.of(WALL, BROKEN, false, Outcome.TIMED_OUT, "wall clock of 600 s"),
        Arguments.of(WALL, ANSWERED, false, Outcome.COMPLETED, "wall clock"),
        Arguments.of(
            new EndCause.OverLimit("output limit"), BROKEN, false, Outcome.FAILED, "output limit"),
        Arguments.of(
            new EndCause.OverLimit("memory limit"),
            ANSWERED,
            false,
            Outcome.COMPLETED,
            "memory limit"),
        Arguments.of(
            new EndCause.Unwanted("withdrawn"), ANSWERED, false, Outcome.CANCELLED, "withdrawn"),
        Arguments.of(new EndCause.Fenced(), BROKEN, false, Outcome.INTERRUPTED, "lease fence"),
        Arguments.of(
            new EndCause.Lost("lease ended"), BROKEN, false, Outcome.INTERRUPTED, "lease ended"),
        Arguments.of(
            new EndCause.Interrupted("runner shutdown"),
            BROKEN,
            false,
            Outcome.INTERRUPTED,
            "shutdown"),
        Arguments.of(
            new EndCause.Interrupted("runner shutdown"),
            ANSWERED,
            false,
            Outcome.COMPLETED,
            "null"));
  }
}
