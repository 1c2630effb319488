package dev.flyball.containment.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentConformance;
import dev.flyball.containment.HostileTree;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessTable;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Level B, and what becomes of a tree whose supervisor was killed or stopped. */
final class SupervisedIT extends ContainmentConformance {
  private static final Duration LIFE = Duration.ofSeconds(2);

  @TempDir static Path data;
  static Containment containment;

  @BeforeAll
  static void create() throws Exception {
    containment = ContainmentProbe.strongest(settings(data), Level.B, Level.B).containment();
  }

  @Override
  protected Containment containment() {
    return containment;
  }

  @Test
  void theSupervisorCarriesNoSecretAndLeavesNoFile() throws Exception {
    ContainedProcess process = containment.start(sh("echo ready; sleep 60"), LONG);
    awaitReady(process);

    Path supervisor = Path.of("/proc", Long.toString(process.identity().pid()));
    assertThat(Files.readString(supervisor.resolve("environ"))).doesNotContain("=");
    assertThat(Files.readString(supervisor.resolve("cmdline"))).doesNotContain("SECRET");
    assertThat(Files.readAttributes(supervisor.resolve("environ"), "unix:uid"))
        .as("hidden from processes of the same user, as are its descriptors")
        .containsEntry("uid", 0);
    process.kill(KillLadder.now(VERIFY));
    // The supervisor's files go with its exit, which another thread sees.
    process.onExit().get(10, TimeUnit.SECONDS);
    assertThat(filesIn(data.resolve("run"))).allMatch(name -> name.startsWith("warden-"));
  }

  @Test
  void aSupervisorThatIsAskedToEndEndsItsTreeFirst() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment.start(hostile.launch(), LONG);
      awaitReady(process);

      Kernel.signal((int) process.identity().pid(), Kernel.TERM);

      process.onExit().get(20, TimeUnit.SECONDS);
      assertThat(hostile.left()).isEmpty();
    }
  }

  /** The weak spot: an agent of the same user may do this. What is left comes to the runner. */
  // S4-10
  @Test
  void processesOfAKilledSupervisorAreFoundAndEnded() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      var trees = new TreeMap<String, ContainedProcess>();
      for (String kind : HostileTree.KINDS) {
        ContainedProcess process = containment.start(hostile.launch(kind), LONG);
        awaitReady(process);
        trees.put(kind, process);
      }

      trees.values().forEach(one -> Kernel.signal((int) one.identity().pid(), Kernel.KILL));

      for (var tree : trees.entrySet()) {
        ContainedProcess process = tree.getValue();
        assertThat(process.onExit().get(5, TimeUnit.SECONDS)).isEqualTo(new Exit(137, 9));
        var report = process.kill(LADDER);
        assertThat(report.survivors()).as(tree.getKey()).isZero();
        // The inner warden and the runner end the tree; whichever comes first.
        assertThat(report.steps()).as(tree.getKey()).isSubsetOf("KILL");
      }
      assertThat(hostile.left()).isEmpty();
    }
  }

  @Test
  void aStoppedSupervisorDoesNotKeepItsTreeAlive() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment.start(hostile.launch(), LONG);
      awaitReady(process);

      Kernel.signal((int) process.identity().pid(), Kernel.STOP);

      assertThat(process.kill(LADDER).survivors()).isZero();
      assertThat(hostile.left()).isEmpty();
      process.onExit().get(5, TimeUnit.SECONDS);
    }
  }

  // S4-2
  @Test
  void noZombieOfAKilledSupervisorStaysWithTheRunner() throws Exception {
    ContainedProcess process =
        containment.start(sh("echo ready; (sleep 0.2 & exec sleep 0.2) & sleep 60"), LONG);
    awaitReady(process);
    Kernel.signal((int) process.identity().pid(), Kernel.KILL);
    process.onExit().get(5, TimeUnit.SECONDS);

    process.kill(KillLadder.now(VERIFY));

    await()
        .untilAsserted(() ->
            assertThat(
                    SupervisedContainment.adopted(
                        ProcessTable.read(), process.identity().startTicks()))
                .isEmpty());
  }

  // Trap T4: also when its supervisor is killed
  @Test
  void anotherProcessOfTheSameProgramIsNotTouchedWithoutTheSupervisor() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment.start(hostile.launch("plain", "noenvd"), LONG);
      awaitReady(process);
      Process foreign = new ProcessBuilder(hostile.perl.toString(), "-e", "sleep 60").start();
      Kernel.signal((int) process.identity().pid(), Kernel.KILL);
      process.onExit().get(5, TimeUnit.SECONDS);

      process.kill(KillLadder.now(VERIFY));

      assertThat(hostile.alive())
          .extracting(ProcSampler.Seen::pid)
          .containsExactly((int) foreign.pid());
      foreign.destroyForcibly();
    }
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

  private static int innerOf(ContainedProcess process) throws IOException {
    String outer = Long.toString(process.identity().pid());
    return Integer.parseInt(
        Files.readString(Path.of("/proc", outer, "task", outer, "children")).strip());
  }

  private static List<String> filesIn(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
