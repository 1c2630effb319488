package dev.flyball.runner.session;

import static dev.flyball.contract.session.Outcome.CANCELLED;
import static dev.flyball.contract.session.Outcome.COMPLETED;
import static dev.flyball.contract.session.Outcome.FAILED;
import static dev.flyball.contract.session.Outcome.INTERRUPTED;
import static dev.flyball.contract.session.Outcome.TIMED_OUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

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
  private static final EndCause EXITED = new EndCause.Exited();
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

  @Test
  @DisplayName("a reason has at most 1,000 characters")
  void aReasonIsBounded() {
    assertThat(new SessionEnd(FAILED, null, "x".repeat(1_000)).text()).isEqualTo("x".repeat(1_000));
    assertThat(new SessionEnd(FAILED, null, "x".repeat(1_001)).text())
        .isEqualTo("x".repeat(997) + "...");
  }

  @Test
  @DisplayName("a reason that names its code already does not name it twice")
  void theCodeIsSaidOnce() {
    assertThat(SessionEnd.blame(new AgentAnswer.Broken(LIMIT, "output limit of 3 MB", "")))
        .isEqualTo("output limit of 3 MB");
  }

  @Test
  @DisplayName("what was read of a silent agent is told")
  void theLinesOfASilentAgent() {
    String nothing = Vitals.Lines.NONE.text();

    assertThat(new Vitals.Lines(0, 7).text()).contains("7").isNotEqualTo(nothing);
    assertThat(nothing).doesNotContain("0");
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
        arguments(EXITED, ANSWERED, OK, COMPLETED, "none", "null"),
        arguments(EXITED, BROKEN, OK, FAILED, "poison bad-item", "exit 3"),
        arguments(
            EXITED, LIMITED, OK, INTERRUPTED, "provider provider-limit", "provider limit; exit 1"),
        arguments(
            EXITED, LOGGED_OUT, OK, INTERRUPTED, "runner agent-login", "agent login; exit 41"),
        arguments(STALL, LIMITED, OK, INTERRUPTED, "provider provider-limit", "silent for 480 s"),
        arguments(STALL, LOGGED_OUT, OK, INTERRUPTED, "runner agent-login", "silent for 480 s"),
        arguments(EXITED, ANSWERED, new Exit(1, 0), COMPLETED, "none", "exit 1 after its answer"),
        arguments(
            EXITED,
            ANSWERED,
            new Exit(139, 11),
            COMPLETED,
            "none",
            "killed by signal 11 after its answer"),
        arguments(
            new EndCause.StartFailed("not-found", "not found"),
            BROKEN,
            OK,
            INTERRUPTED,
            "runner not-found",
            "not found"),
        arguments(WALL, BROKEN, OK, TIMED_OUT, "transient wall-clock", "wall clock of 600 s"),
        arguments(WALL, ANSWERED, OK, COMPLETED, "none", "wall clock"),
        arguments(
            new EndCause.OverLimit(LIMIT, "output limit"),
            BROKEN,
            OK,
            FAILED,
            "permanent output-limit",
            "output limit"),
        arguments(
            new EndCause.OverLimit(LIMIT, "memory limit"),
            ANSWERED,
            OK,
            COMPLETED,
            "none",
            "memory limit"),
        arguments(new EndCause.Broken("its output"), ANSWERED, OK, COMPLETED, "none", "its output"),
        arguments(
            new EndCause.TimedOut(EndCause.Clock.WALL, Duration.ofMillis(1500), Vitals.Lines.NONE),
            ANSWERED,
            OK,
            COMPLETED,
            "none",
            "1500 ms"),
        arguments(EXITED, ANSWERED, new Exit(0, 9), COMPLETED, "none", "signal 9"),
        arguments(EXITED, ANSWERED, OK, COMPLETED, "none", "null"),
        arguments(EXITED, ANSWERED, null, COMPLETED, "none", "null"),
        arguments(new EndCause.Unwanted("withdrawn"), ANSWERED, OK, CANCELLED, "none", "withdrawn"),
        arguments(new EndCause.Fenced(), BROKEN, OK, INTERRUPTED, "none", "lease"),
        arguments(new EndCause.Lost("lease ended"), BROKEN, OK, INTERRUPTED, "none", "lease ended"),
        arguments(
            new EndCause.Interrupted("runner shutdown"),
            BROKEN,
            OK,
            INTERRUPTED,
            "none",
            "shutdown"),
        arguments(
            new EndCause.Interrupted("runner shutdown"), ANSWERED, OK, COMPLETED, "none", "null"));
  }
}
