package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.kernel.ProcessEntry;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What every level of containment does, with real processes. A subclass supplies the level. */
@Timeout(60)
public abstract class ContainmentConformance {
  protected static final Duration LONG = Duration.ofSeconds(60);
  protected static final Duration VERIFY = Duration.ofSeconds(10);
  protected static final KillLadder LADDER =
      new KillLadder(Duration.ZERO, Duration.ofMillis(500), VERIFY);

  /** The agent's folder, and the test's own. */
  @TempDir protected Path folder;

  /** The level; tests are skipped where it is not possible. */
  protected abstract Containment containment();

  /** Settings with a deadman that is quick enough for tests. */
  protected static ContainmentSettings settings(Path data) {
    return ContainmentSettings.in(data).withTick(Duration.ofMillis(50));
  }

  // S0-20, S0-21, S0-22: the whole tree, verified (T3)
  @Test
  void cancelLeavesNothingOfAHostileTree() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment().start(hostile.launch(), LONG);
      awaitReady(process);
      hostile.awaitFull(1);

      assertThat(process.sample(Duration.ZERO).processes())
          .isBetween(HostileTree.FULL - 2, HostileTree.FULL + 2);
      assertThat(process.sample(Duration.ZERO).zombies()).isGreaterThanOrEqualTo(5);
      var report = process.kill(LADDER);

      assertThat(hostile.left()).isEmpty();
      assertThat(report.survivors()).isZero();
      assertThat(report.steps()).startsWith("TERM");
      assertThat(report.processesPeak()).isGreaterThanOrEqualTo(HostileTree.FULL - 2);
      assertThat(report.memoryPeakBytes()).isGreaterThan(1 << 20);
      // perl dies on TERM and has no handler: the shell's convention for signal 15
      assertThat(process.onExit().get(5, TimeUnit.SECONDS)).isEqualTo(new Exit(143, 15));
    }
  }

  @Test
  void aFailedStartIsClearedByItsSessionAlone() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      Launch launch = hostile.launch();
      ContainedProcess unknown = containment().start(launch, LONG);
      awaitReady(unknown);
      hostile.awaitFull(1);

      assertThat(containment().cleared(launch.session(), Duration.ofSeconds(2))).isZero();

      assertThat(hostile.left()).isEmpty();
      assertThat(unknown.onExit().get(5, TimeUnit.SECONDS).signalled()).isTrue();
      assertThat(containment().cleared(launch.session(), Duration.ofSeconds(2))).isZero();
    }
  }

  @Test
  void processesThatAnAgentLeavesEndWithIt() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      String tree = String.join(" ", hostile.command("noenvd", "igterm", "stopped"));
      ContainedProcess process =
          containment().start(sh(tree + " & read line </dev/zero & sleep 0.3; exit 7"), LONG);

      assertThat(process.onExit().get(20, TimeUnit.SECONDS)).isEqualTo(new Exit(7, 0));
      // Before any kill of ours, which would end what the level left.
      await().atMost(Duration.ofSeconds(10)).until(() -> hostile.left().isEmpty());
      assertThat(process.kill(LADDER).survivors()).isZero();
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
    ContainedProcess process = containment().start(sh(script), LONG);

    assertThat(process.onExit().get(10, TimeUnit.SECONDS)).isEqualTo(new Exit(code, signal));
    var report = process.kill(LADDER);
    assertThat(report.steps()).isEmpty();
    assertThat(report.survivors()).isZero();
  }

  // T2
  @Test
  void thePromptArrivesOnStdinAndBothStreamsHoldOnlyTheAgentsOutput() throws Exception {
    ContainedProcess process = containment().start(sh("cat; echo complaint >&2"), LONG);

    assertThat(output(process)).isEqualTo("the prompt\n\u00fc");
    assertThat(new String(process.err().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("complaint\n");
  }

  // S4-19, S0-60
  @Test
  void anAgentGetsItsVariablesAndTheCookieAndCannotAskForPasswords() throws Exception {
    ContainedProcess process = containment().start(sh("env"), LONG);

    assertThat(output(process).lines())
        .contains("CI=1", "TERM=dumb", "NO_COLOR=1")
        .contains("GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=/bin/false", "GCM_INTERACTIVE=never")
        .contains("SSH_ASKPASS=/bin/false", "SSH_ASKPASS_REQUIRE=never")
        .contains("GIT_SSH_COMMAND=ssh -oBatchMode=yes -oConnectTimeout=10")
        .contains("GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=credential.helper", "GIT_CONFIG_VALUE_0=")
        .contains("SECRET=agent's own \u00fc")
        .anyMatch(line -> line.startsWith("FLYBALL_SESSION="))
        .noneMatch(line -> line.startsWith("CLAUDECODE"))
        .noneMatch(line -> line.startsWith("fb_"));
  }

  @Test
  void anAgentWorksInItsFolderAndInheritsNoDescriptor() throws Exception {
    ContainedProcess process =
        containment().start(sh("ls /proc/self/fd | tr '\\n' ' '; pwd"), LONG);

    // ls itself has the folder that it reads open, as descriptor 3
    assertThat(output(process)).isEqualTo("0 1 2 3 " + folder.toRealPath() + "\n");
  }

  @ParameterizedTest
  @CsvSource({
    "no-such-agent, ., not-found",
    "/no/such/agent, ., not-found",
    "./agent.txt, ., not-executable",
    "true, missing, no-directory"
  })
  void anAgentThatCannotStartHasAReason(String program, String directory, String code)
      throws Exception {
    Files.writeString(folder.resolve("agent.txt"), "#!/bin/sh\n");
    var launch =
        new Launch(
            "s",
            List.of(program),
            Map.of("PATH", "/usr/bin:/bin"),
            folder.resolve(directory).normalize(),
            "");

    assertThatThrownBy(() -> containment().start(launch, LONG))
        .isInstanceOfSatisfying(CannotStart.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void aNullCharacterIsRejected() {
    Launch launch = sh("echo one\0 two");

    assertThatThrownBy(() -> containment().start(launch, LONG)).isInstanceOf(CannotStart.class);
  }

  @Test
  void noAgentIsStartedAfterItsDeadline() throws Exception {
    Path mark = folder.resolve("mark");
    ContainedProcess process = containment().start(sh("echo started >" + mark), Duration.ZERO);

    assertThat(process.onExit().get(10, TimeUnit.SECONDS)).isEqualTo(new Exit(137, 9));
    assertThat(mark).doesNotExist();
  }

  @Test
  void theDeadmanEndsTheTreeUnlessItsDeadlineIsMoved() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment().start(hostile.launch(), Duration.ofSeconds(2));
      awaitReady(process);
      assertThat(process.extendTo(BootClock.sinceBoot().plus(Duration.ofSeconds(2)))).isTrue();

      process.onExit().get(20, TimeUnit.SECONDS);

      await().atMost(Duration.ofSeconds(10)).until(() -> hostile.left().isEmpty());
      assertThat(process.kill(LADDER).survivors()).isZero();
      assertThat(process.extendTo(BootClock.sinceBoot().plus(LONG))).isFalse();
    }
  }

  @Test
  void noSignalOfTheRunnersTerminalReachesIt() throws Exception {
    ContainedProcess process = containment().start(sh("echo ready; sleep 60"), LONG);
    awaitReady(process);
    int pid = (int) process.identity().pid();

    assertThat(ProcessEntry.read(pid)).get().extracting(ProcessEntry::session).isEqualTo(pid);
    process.kill(KillLadder.now(VERIFY));
  }

  // Trap T4
  @Test
  void anotherProcessOfTheSameProgramIsNotTouched() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      Process foreign = new ProcessBuilder(hostile.perl.toString(), "-e", "sleep 60").start();
      ContainedProcess process = containment().start(hostile.launch("plain", "noenvd"), LONG);
      awaitReady(process);

      process.kill(KillLadder.now(VERIFY));

      assertThat(hostile.alive())
          .extracting(ProcSampler.Seen::pid)
          .containsExactly((int) foreign.pid());
      foreign.destroyForcibly();
    }
  }

  /** A shell as the agent. */
  protected Launch sh(String script) {
    return new Launch(
        UUID.randomUUID().toString(),
        List.of("/bin/sh", "-c", script),
        Map.of("PATH", "/usr/bin:/bin", "CLAUDECODE", "1", "SECRET", "agent's own \u00fc"),
        folder,
        "the prompt\n\u00fc");
  }

  /** All that the agent prints; waits until it closes its output. */
  protected static String output(ContainedProcess process) throws IOException {
    return new String(process.out().readAllBytes(), StandardCharsets.UTF_8);
  }

  /** Waits for the agent to print that it is ready. */
  protected static void awaitReady(ContainedProcess process) throws IOException {
    assertThat(new String(process.out().readNBytes(6), StandardCharsets.UTF_8))
        .isEqualTo("ready\n");
  }
}
