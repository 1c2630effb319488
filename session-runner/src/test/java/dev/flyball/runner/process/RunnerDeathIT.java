package dev.flyball.runner.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.runner.process.Containment.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** INV-5 at level A: whatever happens to a runner, nothing of its sessions outlives it. */
@Timeout(120)
class RunnerDeathIT {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path folder;

  /** As the user that runs this test; and as an ordinary one where this one may become it. */
  static List<Boolean> ordinary() {
    return "root".equals(System.getProperty("user.name")) ? List.of(false, true) : List.of(false);
  }

  @ParameterizedTest(name = "ordinary user: {0}")
  @MethodSource("ordinary")
  void aKilledRunnersTreesAreGone(boolean ordinary) throws Exception {
    try (var hostile = new HostileTree(folder);
        var runner = new DoomedRunner(folder, ordinary, Level.A, LONG, 2, hostile.command())) {
      assertThat(runner.said).contains("level A");
      await().until(() -> hostile.alive().size() >= 2 * HostileTree.FULL);

      long killed = System.nanoTime();
      runner.signal(Kernel.KILL);

      await()
          .pollInterval(Duration.ofMillis(5))
          .atMost(Duration.ofSeconds(5))
          .until(() -> hostile.alive().isEmpty());
      report("kill -9", ordinary, killed);
    }
  }

  @ParameterizedTest(name = "ordinary user: {0}")
  @MethodSource("ordinary")
  void aFrozenRunnersTreesEndByTheirDeadman(boolean ordinary) throws Exception {
    Duration life = Duration.ofSeconds(2);
    try (var hostile = new HostileTree(folder);
        var runner = new DoomedRunner(folder, ordinary, Level.A, life, 2, hostile.command())) {
      await().until(() -> hostile.alive().size() >= 2 * HostileTree.FULL);

      long frozen = System.nanoTime();
      runner.signal(Kernel.STOP);

      // The last extension was before the freeze; a tick of 50 ms and the kill come on top.
      await()
          .pollInterval(Duration.ofMillis(5))
          .atMost(life.plusSeconds(3))
          .until(() -> hostile.alive().isEmpty());
      report("SIGSTOP with a life of 2 s", ordinary, frozen);
    }
  }

  @ParameterizedTest(name = "ordinary user: {0}")
  @MethodSource("ordinary")
  void aStoppedRunnerEndsItsTreesFirst(boolean ordinary) throws Exception {
    try (var hostile = new HostileTree(folder);
        var runner = new DoomedRunner(folder, ordinary, Level.A, LONG, 2, hostile.command())) {
      await().until(() -> hostile.alive().size() >= 2 * HostileTree.FULL);

      long stopped = System.nanoTime();
      runner.signal(Kernel.TERM);
      runner.awaitEnd();

      assertThat(hostile.alive()).isEmpty();
      report("SIGTERM", ordinary, stopped);
    }
  }

  private static void report(String what, boolean ordinary, long since) {
    System.out.printf(
        "level A, %s, %s: 0 survivors of %d after %d ms%n",
        ordinary ? "ordinary user" : "this user",
        what,
        2 * HostileTree.FULL,
        (System.nanoTime() - since) / 1_000_000);
  }
}
