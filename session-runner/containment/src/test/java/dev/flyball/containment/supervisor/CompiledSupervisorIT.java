package dev.flyball.containment.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.HostileTree;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.warden.NativeWarden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Level B by the warden in C, of which there are two, one around the other. */
@Tag("long")
final class CompiledSupervisorIT extends SupervisedIT {
  private static final Duration LIFE = Duration.ofSeconds(2);

  @BeforeAll
  static void compile() throws Exception {
    var settings = settings(data);
    containment =
        SupervisedContainment.compiled(
            new NativeWarden(NativeWarden.program(settings.folder()), settings));
  }

  /** Its agent runs before anything can cancel it, so there is no such moment to test. */
  @Override
  void anAgentThatIsCancelledBeforeItRunsNeverRuns() {}

  /** The inner warden and the runner end the tree; whichever comes first. */
  @Override
  void assertStepsWithoutTheSupervisor(List<String> steps) {
    assertThat(steps).isSubsetOf("KILL");
  }

  @Test
  void theOuterWardenEndsTheTreeOfAKilledInnerOne() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment.start(hostile.launch(), LONG);
      awaitReady(process);

      Kernel.signal(innerOf(process), Kernel.KILL);

      await().until(() -> hostile.left().isEmpty());
      assertThat(process.kill(LADDER).steps()).isEmpty();
    }
  }

  @ParameterizedTest(name = "the inner one: {0}")
  @ValueSource(booleans = {true, false})
  void oneStoppedWardenDoesNotOutliveTheDeadline(boolean inner) throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment.start(hostile.launch(), LIFE);
      awaitReady(process);
      int outer = (int) process.identity().pid();

      Kernel.signal(inner ? innerOf(process) : outer, Kernel.STOP);

      await().atMost(LIFE.plusSeconds(10)).until(() -> hostile.left().isEmpty());
      assertThat(process.kill(LADDER).survivors()).isZero();
    }
  }

  @Test
  void bothTogetherTakeLessThanTwoMegabytes() throws Exception {
    ContainedProcess process = containment.start(sh("echo ready; sleep 60"), LONG);
    awaitReady(process);

    assertThat(residentKilobytes(process.identity().pid())).isLessThan(1_000);
    assertThat(residentKilobytes(innerOf(process))).isLessThan(1_000);
    process.kill(LADDER);
  }

  private static int innerOf(ContainedProcess process) throws IOException {
    String outer = Long.toString(process.identity().pid());
    return Integer.parseInt(
        Files.readString(Path.of("/proc", outer, "task", outer, "children")).strip());
  }

  private static long residentKilobytes(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
        .sum();
  }
}
