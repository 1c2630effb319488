package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.kernel.Kernel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * INV-5 in a container with the engine's default profile, which denies the namespaces of level A.
 * It needs a container engine and the right to read its processes, so it runs only on request.
 */
@Tag("container")
@Timeout(120)
class ContainerIT {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path folder;

  @ParameterizedTest(name = "user {0}, in C: {1}")
  @CsvSource({"0, true", "0, false", "1000, true", "1000, false"})
  void levelBIsFoundAndAStoppedRunnerEndsItsTrees(String user, boolean compiled) throws Exception {
    try (var hostile = new HostileTree(folder);
        var runner = new DockerRunner(folder, user, compiled, LONG, 2, hostile)) {
      assertThat(runner.output).contains("level B");
      hostile.awaitFull(2);

      runner.signal(Kernel.TERM);

      awaitNone(hostile, Duration.ofSeconds(15));
    }
  }

  @ParameterizedTest(name = "user {0}, in C: {1}")
  @CsvSource({"0, true", "0, false", "1000, true", "1000, false"})
  void theTreesOfAKilledRunnerEnd(String user, boolean compiled) throws Exception {
    try (var hostile = new HostileTree(folder);
        var runner = new DockerRunner(folder, user, compiled, LONG, 2, hostile)) {
      hostile.awaitFull(2);

      runner.signal(Kernel.KILL);

      awaitNone(hostile, Duration.ofSeconds(5));
    }
  }

  @ParameterizedTest(name = "user {0}, in C: {1}")
  @CsvSource({"0, true", "0, false", "1000, true", "1000, false"})
  void aFrozenRunnersTreesEndByTheirDeadman(String user, boolean compiled) throws Exception {
    Duration life = Duration.ofSeconds(2);
    try (var hostile = new HostileTree(folder);
        var runner = new DockerRunner(folder, user, compiled, life, 2, hostile)) {
      hostile.awaitFull(2);

      runner.signal(Kernel.STOP);

      awaitNone(hostile, life.plusSeconds(10));
    }
  }

  private static void awaitNone(HostileTree hostile, Duration limit) {
    await().pollInterval(Duration.ofMillis(5)).atMost(limit).until(() -> hostile.left().isEmpty());
  }
}
