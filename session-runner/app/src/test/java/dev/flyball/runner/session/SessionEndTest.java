package dev.flyball.runner.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.agent.AgentAnswer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SessionEndTest {
  private static final AgentAnswer ANSWERED =
      new AgentAnswer.Complete("text", List.of(), null, null, null);
  private static final AgentAnswer BROKEN =
      new AgentAnswer.Broken(new Failure(Kind.POISON, "bad-item"), "exit 3", "");
  private static final Failure LIMIT = new Failure(Kind.PERMANENT, "output-limit");
  private static final AgentAnswer LIMITED =
      new AgentAnswer.Broken(new Failure(Kind.PROVIDER, "provider-limit"), "exit 1", "");
  private static final AgentAnswer LOGGED_OUT =
      new AgentAnswer.Broken(new Failure(Kind.RUNNER, "agent-login"), "exit 41", "");
  private static final Exit OK = new Exit(0, 0);
  private static final EndCause STALL =
      new EndCause.TimedOut(EndCause.Clock.STALL, Duration.ofMinutes(8), Vitals.Lines.NONE);
  private static final EndCause WALL =
      new EndCause.TimedOut(EndCause.Clock.WALL, Duration.ofMinutes(10), Vitals.Lines.NONE);

  @ParameterizedTest
  @MethodSource("ends")
  void everyCauseHasItsOutcomeAndAReason(
      EndCause cause,
      AgentAnswer answer,
      Exit exit,
      Outcome outcome,
      String failure,
      String reason) {
    SessionEnd end = SessionEnd.classify(cause, answer, exit);

    assertThat(end.outcome()).isEqualTo(outcome);
    Failure why = end.failure();
    assertThat(why == null ? "none" : why.kind().label() + " " + why.code()).isEqualTo(failure);
    assertThat(String.valueOf(end.reason())).contains(reason);
  }

  @Test
  @DisplayName("a resumed session that ends without one token has shown nothing about its item")
  void aSilentReuseIsItsOwnFailure() {
    SessionEnd failed = SessionEnd.classify(new EndCause.Exited(), BROKEN, OK);
    SessionEnd answered = SessionEnd.classify(new EndCause.Exited(), ANSWERED, OK);

    assertThat(failed.reused(true).failure())
        .isEqualTo(new Failure(Kind.TRANSIENT, Failure.SILENT_SESSION));
    assertThat(failed.reused(false)).isEqualTo(failed);
    assertThat(answered.reused(true)).isEqualTo(answered);
  }

  // Another session may start for the item at any moment: the ladder's patience is not theirs.
  @Test
  void onlyOneWhoseLeaseMayBeOverIsKilledWithoutALadder() {
    assertThat(
            Stream.of(
                    new EndCause.Exited(),
                    new EndCause.StartFailed("user", "r"),
                    WALL,
                    new EndCause.OverLimit(LIMIT, "r"),
                    new EndCause.Unwanted("r"),
                    new EndCause.Fenced(),
                    new EndCause.Lost("r"),
                    new EndCause.Interrupted("r"))
                .filter(EndCause::atOnce))
        .containsExactly(new EndCause.Fenced(), new EndCause.Lost("r"));
  }

  static Stream<Arguments> ends() {
    return Stream.of(
        Arguments.of(new EndCause.Exited(), ANSWERED, OK, Outcome.COMPLETED, "none", "null"),
        Arguments.of(
            new EndCause.Exited(), BROKEN, OK, Outcome.FAILED, "poison bad-item", "exit 3"),
        Arguments.of(
            new EndCause.Exited(),
            LIMITED,
            OK,
            Outcome.INTERRUPTED,
            "provider provider-limit",
            "provider limit; exit 1"),
        Arguments.of(
            new EndCause.Exited(),
            LOGGED_OUT,
            OK,
            Outcome.INTERRUPTED,
            "runner agent-login",
            "agent login; exit 41"),
        Arguments.of(
            STALL, LIMITED, OK, Outcome.INTERRUPTED, "provider provider-limit", "silent for 480 s"),
        Arguments.of(
            STALL, LOGGED_OUT, OK, Outcome.INTERRUPTED, "runner agent-login", "silent for 480 s"),
        Arguments.of(
            new EndCause.Exited(),
            ANSWERED,
            new Exit(1, 0),
            Outcome.COMPLETED,
            "none",
            "exit 1 after its answer"),
        Arguments.of(
            new EndCause.Exited(),
            ANSWERED,
            new Exit(139, 11),
            Outcome.COMPLETED,
            "none",
            "killed by signal 11 after its answer"),
        Arguments.of(
            new EndCause.StartFailed("not-found", "not found"),
            BROKEN,
            OK,
            Outcome.INTERRUPTED,
            "runner not-found",
            "not found"),
        Arguments.of(
            WALL, BROKEN, OK, Outcome.TIMED_OUT, "transient wall-clock", "wall clock of 600 s"),
        Arguments.of(WALL, ANSWERED, OK, Outcome.COMPLETED, "none", "wall clock"),
        Arguments.of(
            new EndCause.OverLimit(LIMIT, "output limit"),
            BROKEN,
            OK,
            Outcome.FAILED,
            "permanent output-limit",
            "output limit"),
        Arguments.of(
            new EndCause.OverLimit(LIMIT, "memory limit"),
            ANSWERED,
            OK,
            Outcome.COMPLETED,
            "none",
            "memory limit"),
        Arguments.of(
            new EndCause.Unwanted("withdrawn"),
            ANSWERED,
            OK,
            Outcome.CANCELLED,
            "none",
            "withdrawn"),
        Arguments.of(new EndCause.Fenced(), BROKEN, OK, Outcome.INTERRUPTED, "none", "lease"),
        Arguments.of(
            new EndCause.Lost("lease ended"),
            BROKEN,
            OK,
            Outcome.INTERRUPTED,
            "none",
            "lease ended"),
        Arguments.of(
            new EndCause.Interrupted("runner shutdown"),
            BROKEN,
            OK,
            Outcome.INTERRUPTED,
            "none",
            "shutdown"),
        Arguments.of(
            new EndCause.Interrupted("runner shutdown"),
            ANSWERED,
            OK,
            Outcome.COMPLETED,
            "none",
            "null"));
  }
}
