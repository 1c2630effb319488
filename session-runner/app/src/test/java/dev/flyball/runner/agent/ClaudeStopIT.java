package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment.Level;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.runner.agent.ClaudeCli.Place;
import dev.flyball.runner.prompt.DeepPrompt;
import dev.flyball.testkit.MessagesApi;
import dev.flyball.testkit.MessagesApi.Turn;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("long")
@Timeout(120)
@DisplayName("S0-22: the real claude, whose shell daemonises, stopped in every way")
class ClaudeStopIT {
  private static final String MODEL = "claude-opus-5-5";
  private static final String SO_FAR = "So far the index looks stale.";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration VERIFY = Duration.ofSeconds(10);
  private static final int DAEMONS = 4;

  @TempDir Path folder;
  private Path sleep;

  /** How a session comes to its end. */
  enum Stop {
    INT(new KillLadder(Duration.ofSeconds(20), Duration.ofSeconds(10), VERIFY)),
    TERM(new KillLadder(Duration.ZERO, Duration.ofSeconds(20), VERIFY)),
    KILL(KillLadder.now(VERIFY)),
    DEADMAN(KillLadder.now(VERIFY)),
    SUPERVISOR_KILLED(KillLadder.now(VERIFY));

    private final KillLadder ladder;

    Stop(KillLadder ladder) {
      this.ladder = ladder;
    }
  }

  @BeforeEach
  void prepare() throws IOException {
    sleep = folder.toRealPath().resolve("sleep-" + UUID.randomUUID());
    Files.copy(Path.of("/bin/sleep"), sleep);
    sleep.toFile().setExecutable(true, false);
  }

  static Stream<Arguments> stops() {
    return Stream.of(Level.A, Level.B)
        .flatMap(level -> Stream.of(Stop.values()).map(stop -> Arguments.of(level, stop)));
  }

  @ParameterizedTest(name = "level {0}, {1}")
  @MethodSource("stops")
  void nothingSurvivesAndWhatWasSaidIsKept(Level level, Stop stop) throws Exception {
    Agent adapter =
        new Claude(MODEL)
            .session(new Setup(DeepPrompt.BUNDLED, List.of("Read", "Bash"), List.of(), 0));
    Place place = Place.in(folder, level, level);
    try (var api = MessagesApi.answering(new Turn.Runs(SO_FAR, daemons()), new Turn.Stalls());
        var session = place.start(adapter, api.environment())) {
      await()
          .atMost(PATIENCE)
          .until(() -> api.requests().size() > 1 && ProcSampler.running(sleep).size() == DAEMONS);

      switch (stop) {
        case INT, TERM, KILL -> {}
        case DEADMAN -> {
          session.endsIn(Duration.ofSeconds(1));
          await().atMost(PATIENCE).until(session::ended);
        }
        case SUPERVISOR_KILLED -> session.killSupervisor();
      }
      var report = session.kill(stop.ladder);

      assertThat(report.survivors()).isZero();
      assertThat(ProcSampler.running(sleep)).isEmpty();
      assertThat(session.answer().text()).isEqualTo(SO_FAR);
      if (stop == Stop.INT) {
        assertThat(report.steps()).containsExactly("INT");
        goesOn(session, place, adapter);
      }
    }
  }

  /** A session that ended by INT remembers what it said and ran. */
  private void goesOn(ClaudeCli earlier, Place place, Agent adapter) {
    try (var api = MessagesApi.answering(new Turn.Says("It was stale."));
        var session = place.resume(earlier.id(), TokenCount.NONE, adapter, api.environment())) {
      assertThat(session.answer())
          .isInstanceOfSatisfying(
              AgentAnswer.Complete.class,
              answer -> assertThat(answer.text()).isEqualTo("It was stale."));
      assertThat(api.requests()).first().asString().contains(SO_FAR).contains("started");
    }
  }

  /** Own session; own session and twice forked; deaf to a hang-up; clean environment besides. */
  private String daemons() {
    String quiet = " >/dev/null 2>&1 </dev/null &";
    return String.join(
        " ",
        "(setsid %s 600%s)".formatted(sleep, quiet),
        "; (setsid sh -c '%s 600 & exit 0'%s)".formatted(sleep, quiet),
        "; nohup %s 600%s".formatted(sleep, quiet),
        "(env -i setsid sh -c '%s 600 & exit 0'%s)".formatted(sleep, quiet),
        "; echo started");
  }
}
