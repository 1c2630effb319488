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
import org.junit.jupiter.params.provider.ValueSource;

/**
 * INV-5 in a container with the engine's default profile, which denies the namespaces of level A.
 * It needs a container engine and the right to read its processes, so it runs only on request.
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
        var runner = new DockerRunner(folder, user, true, LONG, 2, hostile)) {
      assertThat(runner.output).contains("level B");
      hostile.awaitFull(2);

      runner.signal(Kernel.TERM);

      awaitNone(hostile, Duration.ofSeconds(15));
    }
  }

  @ParameterizedTest(name = "user {0}")
  @ValueSource(strings = {"0", "1000"})
  void theTreesOfAKilledRunnerEnd(String user) throws Exception {
    try (var hostile = new HostileTree(folder);
        var runner = new DockerRunner(folder, user, true, LONG, 2, hostile)) {
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
        var runner = new DockerRunner(folder, user, true, life, 2, hostile)) {
      hostile.awaitFull(2);

      runner.signal(Kernel.STOP);

      awaitNone(hostile, life.plusSeconds(10));
    }
  }

  @ParameterizedTest(name = "user {0}")
  @ValueSource(strings = {"0", "1000"})
  void withoutAWardenTheRunnerIsRefusedWithTheFix(String user) throws Exception {
    try (var hostile = new HostileTree(folder);
        var runner = new DockerRunner(folder, user, false, LONG, 1, hostile)) {
      assertThat(runner.output)
          .anyMatch(line ->
              line.startsWith("refused ")
                  && line.endsWith(
                      "; install gcc and libc6-dev, or run the release or the image, which bring"
                          + " the warden"));
      assertThat(hostile.left()).isEmpty();
    }
  }

  private static void awaitNone(HostileTree hostile, Duration limit) {
    await().pollInterval(Duration.ofMillis(5)).atMost(limit).until(() -> hostile.left().isEmpty());
  }
}
