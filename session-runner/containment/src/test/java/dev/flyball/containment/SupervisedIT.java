package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Level B with real processes; pins what becomes of a tree whose supervisor was killed. */
@Timeout(60)
class SupervisedIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration VERIFY = Duration.ofSeconds(10);
  private static final KillLadder LADDER =
      new KillLadder(Duration.ZERO, Duration.ofMillis(300), VERIFY);

  static final List<String> KINDS = HostileTree.KINDS;

  @TempDir static Path data;
  private static Containment containment;

  @TempDir Path folder;

  @BeforeAll
  static void start() throws Exception {
    containment =
        new SupervisedContainment(ContainmentSettings.in(data).withTick(Duration.ofMillis(50)));
  }

  @ParameterizedTest
  @FieldSource("KINDS")
  void cancelEndsEveryKind(String kind) throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment.start(hostile.launch(kind), LONG);
      awaitReady(process);

      var report = process.kill(LADDER);

      assertThat(hostile.left()).isEmpty();
      assertThat(report.survivors()).isZero();
      assertThat(process.onExit().get(5, TimeUnit.SECONDS)).isEqualTo(new Exit(143, 15));
    }
  }

  // S0-20, S0-21, S0-22: the whole tree, verified (T3)
  @Test
  void cancelLeavesNothingOfAHostileTree() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment.start(hostile.launch(), LONG);
      awaitReady(process);
      hostile.awaitFull(1);

      assertThat(process.sample().processes())
          .isBetween(HostileTree.FULL - 2, HostileTree.FULL + 2);
      var report = process.kill(LADDER);

      assertThat(hostile.left()).isEmpty();
      assertThat(report.survivors()).isZero();
      assertThat(report.steps()).startsWith("TERM");
      assertThat(report.processesPeak()).isGreaterThanOrEqualTo(HostileTree.FULL - 2);
    }
  }

  @Test
  void whatAnEndedAgentLeavesEndsWithIt() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      String tree = String.join(" ", hostile.command("noenvd", "igterm", "stopped"));
      ContainedProcess process =
          containment.start(sh(tree + " & read line </dev/zero & sleep 0.3; exit 7"), LONG);

      assertThat(process.onExit().get(20, TimeUnit.SECONDS)).isEqualTo(new Exit(7, 0));
      assertThat(hostile.left()).isEmpty();
    }
  }

  @Test
  void aStartOfWhichOnlyItsSessionIsKnownIsCleared() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      Launch launch = hostile.launch();
      ContainedProcess unseen = containment.start(launch, LONG);
      awaitReady(unseen);
      hostile.awaitFull(1);

      assertThat(containment.cleared(launch.session(), Duration.ofSeconds(2))).isZero();

      assertThat(hostile.left()).isEmpty();
      assertThat(unseen.onExit().get(5, TimeUnit.SECONDS).signalled()).isTrue();
      assertThat(containment.cleared(launch.session(), Duration.ofSeconds(2))).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "exit 0,0,0",
    "exit 7,7,0",
    "exit 143,143,15",
    "kill -9 $$,137,9",
    "kill -15 $$,143,15"
  })
  void theExitIsTheAgentsOwn(String script, int code, int signal) throws Exception {
    ContainedProcess process = containment.start(sh(script), LONG);

    assertThat(process.onExit().get(10, TimeUnit.SECONDS)).isEqualTo(new Exit(code, signal));
    var report = process.kill(LADDER);
    assertThat(report.steps()).isEmpty();
    assertThat(report.survivors()).isZero();
  }

  @Test
  void thePromptArrivesOnStdinAndBothStreamsComeBackWithoutAWordOfTheSupervisors()
      throws Exception {
    ContainedProcess process = containment.start(sh("cat; echo complaint >&2"), LONG);

    assertThat(new String(process.out().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("the prompt\n\u00fc");
    assertThat(new String(process.err().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("complaint\n");
  }

  @Test
  void theAgentGetsItsEnvironmentAndNoDescriptorOfTheSupervisors() throws Exception {
    ContainedProcess process =
        containment.start(sh("env; ls /proc/self/fd | tr '\\n' ' '; pwd"), LONG);

    // ls itself has the folder that it reads open, as descriptor 3
    assertThat(new String(process.out().readAllBytes(), StandardCharsets.UTF_8).lines())
        .contains("CI=1", "SECRET=agent's own \u00fc", "0 1 2 3 " + folder.toRealPath())
        .anyMatch(line -> line.startsWith("FLYBALL_SESSION="))
        .noneMatch(line -> line.startsWith("CLAUDECODE") || line.startsWith("fb_"));
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
    // The supervisor's files go with its exit, which another thread hears of.
    process.onExit().get(10, TimeUnit.SECONDS);
    assertThat(filesIn(data.resolve("run"))).allMatch(name -> name.startsWith("supervisor-"));
  }

  @Test
  void pastItsDeadlineNoAgentIsStarted() throws Exception {
    Path mark = folder.resolve("mark");
    ContainedProcess process = containment.start(sh("echo started >" + mark), Duration.ZERO);

    assertThat(process.onExit().get(10, TimeUnit.SECONDS)).isEqualTo(new Exit(137, 9));
    assertThat(mark).doesNotExist();
  }

  @Test
  void anAgentThatIsCancelledBeforeItRunsNeverRuns() throws Exception {
    Path mark = folder.resolve("mark");
    ContainedProcess process = containment.start(sh("echo started >" + mark), LONG);

    var report = process.kill(new KillLadder(Duration.ZERO, LONG, VERIFY));

    assertThat(report.survivors()).isZero();
    assertThat(process.extend(LONG)).isFalse();
    assertThat(mark).doesNotExist();
  }

  @Test
  void theDeadmanEndsTheTreeUnlessItIsMoved() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment.start(hostile.launch(), Duration.ofSeconds(2));
      awaitReady(process);
      assertThat(process.extend(Duration.ofSeconds(2))).isTrue();

      process.onExit().get(20, TimeUnit.SECONDS);

      assertThat(hostile.left()).isEmpty();
      assertThat(process.kill(LADDER).survivors()).isZero();
      assertThat(process.extend(LONG)).isFalse();
    }
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
  @ParameterizedTest
  @FieldSource("KINDS")
  void whatAKilledSupervisorLeavesIsFoundAndEnded(String kind) throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment.start(hostile.launch(kind), LONG);
      awaitReady(process);

      Kernel.signal((int) process.identity().pid(), Kernel.KILL);

      assertThat(process.onExit().get(5, TimeUnit.SECONDS)).isEqualTo(new Exit(137, 9));
      var report = process.kill(LADDER);
      assertThat(report.survivors()).isZero();
      assertThat(report.steps()).containsExactly("KILL");
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
      assertThat(process.onExit()).isDone();
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
            assertThat(Orphans.of(ProcessTable.read(), process.identity().startTicks())).isEmpty());
  }

  // Trap T4: a foreign process of the same name is none of ours
  @Test
  void aForeignProcessOfTheSameProgramIsNotTouched() throws Exception {
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

  private Launch sh(String script) {
    return new Launch(
        UUID.randomUUID().toString(),
        List.of("/bin/sh", "-c", script),
        Map.of("PATH", "/usr/bin:/bin", "CLAUDECODE", "1", "SECRET", "agent's own \u00fc"),
        folder,
        "the prompt\n\u00fc");
  }

  private static List<String> filesIn(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static void awaitReady(ContainedProcess process) throws Exception {
    assertThat(new String(process.out().readNBytes(6), StandardCharsets.UTF_8))
        .isEqualTo("ready\n");
  }
}
