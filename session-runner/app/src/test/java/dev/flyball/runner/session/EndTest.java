package dev.flyball.runner.session;

import static dev.flyball.contract.session.Outcome.FAILED;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.agent.AgentAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndTest {
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
  private static final Map<String, End> CAUSES =
      Map.ofEntries(
          entry("exited", End.EXITED),
          entry("start-failed", End.startFailed("not-found", "not found")),
          entry("stall", timedOut(End.Clock.STALL, Duration.ofMinutes(8))),
          entry("wall", timedOut(End.Clock.WALL, Duration.ofMinutes(10))),
          entry("short wall", timedOut(End.Clock.WALL, Duration.ofMillis(1500))),
          entry("over-limit", End.of(End.Cause.OVER_LIMIT, LIMIT, "output limit")),
          entry("broken", End.of(End.Cause.BROKEN, "its output")),
          entry("unwanted", End.of(End.Cause.UNWANTED, "withdrawn")),
          entry("fenced", End.FENCED),
          entry("lost", End.of(End.Cause.LOST, "lease ended")),
          entry("interrupted", End.of(End.Cause.INTERRUPTED, "runner shutdown")));

  private static final Map<String, AgentAnswer> ANSWERS =
      Map.of("yes", ANSWERED, "no", BROKEN, "limited", LIMITED, "logged out", LOGGED_OUT);

  private static final Map<String, Exit> EXITS =
      Map.of("0", OK, "1", new Exit(1, 0), "SEGV", new Exit(139, 11), "KILL", new Exit(0, 9));

  @ParameterizedTest(name = "{0}, answered: {1}, exit {2}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          exited       | yes        | 0    | COMPLETED   | none                    | null
          exited       | yes        | -    | COMPLETED   | none                    | null
          exited       | yes        | 1    | COMPLETED   | none                    | exit 1 after its answer
          exited       | yes        | SEGV | COMPLETED   | none                    | killed by signal 11 after its answer
          exited       | yes        | KILL | COMPLETED   | none                    | signal 9
          exited       | no         | 0    | FAILED      | poison bad-item         | exit 3
          exited       | limited    | 0    | INTERRUPTED | provider provider-limit | provider limit; exit 1
          exited       | logged out | 0    | INTERRUPTED | runner agent-login      | agent login; exit 41
          start-failed | no         | 0    | INTERRUPTED | runner not-found        | not found
          stall        | limited    | 0    | INTERRUPTED | provider provider-limit | silent for 480 s
          stall        | logged out | 0    | INTERRUPTED | runner agent-login      | silent for 480 s
          wall         | no         | 0    | TIMED_OUT   | transient wall-clock    | wall clock of 600 s
          wall         | yes        | 0    | COMPLETED   | none                    | wall clock
          short wall   | yes        | 0    | COMPLETED   | none                    | 1500 ms
          over-limit   | no         | 0    | FAILED      | permanent output-limit  | output limit
          over-limit   | yes        | 0    | COMPLETED   | none                    | output limit
          broken       | yes        | 0    | COMPLETED   | none                    | its output
          unwanted     | yes        | 0    | CANCELLED   | none                    | withdrawn
          fenced       | no         | 0    | INTERRUPTED | none                    | lease
          lost         | no         | 0    | INTERRUPTED | none                    | lease ended
          interrupted  | no         | 0    | INTERRUPTED | none                    | shutdown
          interrupted  | yes        | 0    | COMPLETED   | none                    | null
          """)
  void everyCauseHasItsOutcomeAndAReason(
      String cause, String answer, String exit, Outcome outcome, String failure, String reason) {
    End end =
        Objects.requireNonNull(CAUSES.get(cause))
            .given(Objects.requireNonNull(ANSWERS.get(answer)), EXITS.get(exit));

    assertThat(end.outcome()).isEqualTo(outcome);
    Failure why = end.failure();
    assertThat(why == null ? "none" : why.kind().label() + " " + why.code()).isEqualTo(failure);
    assertThat(String.valueOf(end.reason())).contains(reason);
  }

  @Test
  @DisplayName("a resumed session that ends without one token has shown nothing about its item")
  void aSilentReuseIsItsOwnFailure() {
    End failed = End.EXITED.given(BROKEN, OK);
    End answered = End.EXITED.given(ANSWERED, OK);

    assertThat(failed.reused(true).failure())
        .isEqualTo(new Failure(Kind.TRANSIENT, Failure.SILENT_SESSION));
    assertThat(failed.reused(false)).isEqualTo(failed);
    assertThat(answered.reused(true)).isEqualTo(answered);
  }

  @Test
  @DisplayName("a reason has at most 1,000 characters")
  void aReasonIsBounded() {
    assertThat(new End(FAILED, null, "x".repeat(1_000)).text()).isEqualTo("x".repeat(1_000));
    assertThat(new End(FAILED, null, "x".repeat(1_001)).text()).isEqualTo("x".repeat(997) + "...");
  }

  @Test
  @DisplayName("a reason that names its code already does not name it twice")
  void theCodeIsSaidOnce() {
    assertThat(End.blame(new AgentAnswer.Broken(LIMIT, "output limit of 3 MB", "")))
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
    assertThat(CAUSES.values().stream().filter(End::atOnce))
        .containsExactlyInAnyOrder(End.FENCED, End.of(End.Cause.LOST, "lease ended"));
  }

  private static End timedOut(End.Clock clock, Duration limit) {
    return End.timedOut(clock, limit, Vitals.Lines.NONE);
  }
}
