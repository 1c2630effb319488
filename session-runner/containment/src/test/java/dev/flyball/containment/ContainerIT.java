package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * INV-5 in a container with the engine's default profile, which refuses the namespaces of level A.
 * Needs a container engine and the right to look at its processes, so it runs only where it is
 * asked for.
 */
@Tag("container")
@Timeout(120)
class ContainerIT {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path folder;

  @ParameterizedTest(name = "user {0}")
  @ValueSource(strings = {"0", "1000"})
  void levelBIsFoundAndAStoppedRunnerEndsItsTrees(String user) throws Exception {
    try (var hostile = new HostileTree(folder);
        var runner = new ContainedRunner(folder, user, LONG, 2, hostile)) {
      assertThat(runner.said).contains("level B");
      hostile.awaitFull(2);

      runner.signal(Kernel.TERM);

      awaitNone(hostile, Duration.ofSeconds(15));
    }
  }

  @ParameterizedTest(name = "user {0}")
  @ValueSource(strings = {"0", "1000"})
  void aKilledRunnersTreesAreGone(String user) throws Exception {
    try (var hostile = new HostileTree(folder);
        var runner = new ContainedRunner(folder, user, LONG, 2, hostile)) {
      hostile.awaitFull(2);

      runner.signal(Kernel.KILL);

      awaitNone(hostile, Duration.ofSeconds(5));
    }
  }

  @ParameterizedTest(name = "user {0}")
  @ValueSource(strings = {"0", "1000"})
  void aFrozenRunnersTreesEndByTheirDeadman(String user) throws Exception {
    Duration life = Duration.ofSeconds(2);
    try (var hostile = new HostileTree(folder);
        var runner = new ContainedRunner(folder, user, life, 2, hostile)) {
      hostile.awaitFull(2);

      runner.signal(Kernel.STOP);

      awaitNone(hostile, life.plusSeconds(10));
    }
  }

  private static void awaitNone(HostileTree hostile, Duration limit) {
    await().pollInterval(Duration.ofMillis(5)).atMost(limit).until(() -> hostile.left().isEmpty());
  }
}
