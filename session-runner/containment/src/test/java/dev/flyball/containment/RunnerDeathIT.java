package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kill.Reaper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * INV-5 at levels A and B: nothing of its sessions outlives a killed runner. All else: SurvivalIT.
 */
@Timeout(120)
class RunnerDeathIT {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path folder;

  /** At each level as the user that runs this test, and as an ordinary one. */
  static Stream<Arguments> runners() {
    return Stream.of(false, true)
        .flatMap(ordinary ->
            Stream.of(
                Arguments.of(Level.A, ordinary, true),
                Arguments.of(Level.A, ordinary, false),
                Arguments.of(Level.B, ordinary, true)));
  }

  // S4-8, S4-10
  @ParameterizedTest(name = "level {0}, ordinary user: {1}, warden in C: {2}")
  @MethodSource("runners")
  void theTreesOfAKilledRunnerEnd(Level level, boolean ordinary, boolean warden) throws Exception {
    SurvivalIT.run(folder, level, ordinary, SurvivalIT.Ending.RUNNER_KILLED, warden, 2);
  }

  // At level A the kernel has ended everything by then.
  @Test
  void aSweepContinuesStoppedSupervisors() throws Exception {
    try (var hostile = new HostileTree(folder);
        var runner = new ChildRunner(folder, false, Level.B, true, LONG, 2, hostile.command())) {
      hostile.awaitFull(2);
      List<String[]> sessions =
          runner.output.stream()
              .filter(line -> line.startsWith("session "))
              .map(line -> line.split(" "))
              .toList();
      sessions.forEach(words -> Kernel.signal(Integer.parseInt(words[2]), Kernel.STOP));
      runner.signal(Kernel.KILL);
      runner.awaitEnd();

      for (String[] words : sessions) {
        Identity supervisor = Identity.of(Integer.parseInt(words[2]));
        var reaped = Reaper.reap(words[1], Optional.of(supervisor), Duration.ofSeconds(10));
        assertThat(reaped.found()).isGreaterThanOrEqualTo(HostileTree.FULL - 2);
        assertThat(reaped.survivors()).isZero();
      }

      assertThat(hostile.left()).isEmpty();
    }
  }
}
