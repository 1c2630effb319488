package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment.Level;
import dev.flyball.testkit.ProcSampler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Level A with real processes. */
@Timeout(60)
class NamespaceIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration VERIFY = Duration.ofSeconds(10);
  private static final KillLadder LADDER =
      new KillLadder(Duration.ZERO, Duration.ofMillis(500), VERIFY);

  @TempDir Path folder;
  private Containment containment;

  @BeforeEach
  void probe() throws Exception {
    var settings = ContainmentSettings.in(folder).withTick(Duration.ofMillis(50));
    containment = ContainmentProbe.strongest(settings, Level.A, Level.A).containment();
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
      assertThat(process.sample().zombies()).isGreaterThanOrEqualTo(5);
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

  // T2
  @Test
  void thePromptArrivesOnStdinAndBothStreamsComeBack() throws Exception {
    ContainedProcess process = containment.start(sh("cat; echo complaint >&2"), LONG);

    assertThat(new String(process.out().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("the prompt\n\u00fc");
    assertThat(new String(process.err().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("complaint\n");
  }

  // S4-19, S0-60
  @Test
  void everyProcessCarriesTheCookieAndCannotAskForPasswords() throws Exception {
    ContainedProcess process = containment.start(sh("env"), LONG);

    assertThat(new String(process.out().readAllBytes(), StandardCharsets.UTF_8).lines())
        .contains("CI=1", "TERM=dumb", "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_VALUE_0=")
        .anyMatch(line -> line.startsWith("FLYBALL_SESSION="))
        .noneMatch(line -> line.startsWith("CLAUDECODE"))
        .noneMatch(line -> line.startsWith("fb_"));
  }

  @Test
  void anAgentThatCannotStartSaysWhy() throws Exception {
    Path notExecutable = Files.writeString(folder.resolve("agent.txt"), "#!/bin/sh\n");

    assertThatThrownBy(() -> containment.start(launch(List.of("no-such-agent")), LONG))
        .isInstanceOfSatisfying(
            CannotStart.class, e -> assertThat(e.code()).isEqualTo("not-found"));
    assertThatThrownBy(() -> containment.start(launch(List.of("/no/such/agent")), LONG))
        .isInstanceOfSatisfying(
            CannotStart.class, e -> assertThat(e.code()).isEqualTo("not-found"));
    assertThatThrownBy(() -> containment.start(launch(List.of(notExecutable.toString())), LONG))
        .isInstanceOfSatisfying(
            CannotStart.class, e -> assertThat(e.code()).isEqualTo("not-executable"));
    var nowhere =
        new Launch(
            "s", List.of("true"), Map.of("PATH", "/usr/bin:/bin"), folder.resolve("gone"), "");
    assertThatThrownBy(() -> containment.start(nowhere, LONG))
        .isInstanceOfSatisfying(
            CannotStart.class, e -> assertThat(e.code()).isEqualTo("no-directory"));
  }

  @Test
  void pastItsDeadlineNoAgentIsStarted() throws Exception {
    Path mark = folder.resolve("mark");
    ContainedProcess process = containment.start(sh("echo started >" + mark), Duration.ZERO);

    assertThat(process.onExit().get(10, TimeUnit.SECONDS)).isEqualTo(new Exit(137, 9));
    assertThat(mark).doesNotExist();
  }

  @Test
  void theDeadmanEndsTheTreeUnlessItIsMoved() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment.start(hostile.launch(), Duration.ofSeconds(2));
      awaitReady(process);
      assertThat(process.extend(Duration.ofSeconds(2))).isTrue();

      process.onExit().get(20, TimeUnit.SECONDS);

      await().atMost(Duration.ofSeconds(10)).until(() -> hostile.left().isEmpty());
      assertThat(process.kill(LADDER).survivors()).isZero();
      assertThat(process.extend(LONG)).isFalse();
    }
  }

  @Test
  void theAgentSeesNeitherTheDeadmanNorItsDeadline() throws Exception {
    ContainedProcess process =
        containment.start(
            sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' '; ls -l /proc/[0-9]*/fd 2>&1"), LONG);

    assertThat(new String(process.out().readAllBytes(), StandardCharsets.UTF_8))
        .contains("flyball-init")
        .doesNotContain("flyball-warden")
        .doesNotContain(".deadline");
  }

  @Test
  void aKillWithoutPatienceHurriesTheOneUnderWay() throws Exception {
    ContainedProcess process =
        containment.start(sh("trap '' TERM; echo ready; while :; do sleep 1; done"), LONG);
    awaitReady(process);
    var patient =
        Thread.ofVirtual()
            .start(
                () -> process.kill(new KillLadder(Duration.ZERO, Duration.ofMinutes(5), VERIFY)));

    var report = process.kill(KillLadder.now(VERIFY));

    assertThat(report.survivors()).isZero();
    patient.join();
    assertThat(process.onExit()).isDone();
  }

  @Test
  void lessThanTheMinimumIsRefusedInOneLine() {
    assertThatThrownBy(
            () -> ContainmentProbe.strongest(ContainmentSettings.in(folder), Level.A_PLUS, Level.A))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("A+")
        .hasMessageContaining("containment.minimum")
        .message()
        .doesNotContain("\n");
  }

  // Trap T4: a foreign process of the same name is none of ours
  @Test
  void aForeignProcessOfTheSameProgramIsNotTouched() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      Process foreign = new ProcessBuilder(hostile.perl.toString(), "-e", "sleep 60").start();
      ContainedProcess process = containment.start(hostile.launch("plain", "noenvd"), LONG);
      awaitReady(process);

      process.kill(KillLadder.now(VERIFY));

      assertThat(hostile.alive())
          .extracting(ProcSampler.Seen::pid)
          .containsExactly((int) foreign.pid());
      foreign.destroyForcibly();
    }
  }

  private Launch sh(String script) {
    return launch(List.of("/bin/sh", "-c", script));
  }

  private Launch launch(List<String> command) {
    return new Launch(
        UUID.randomUUID().toString(),
        command,
        Map.of("PATH", "/usr/bin:/bin", "CLAUDECODE", "1"),
        folder,
        "the prompt\n\u00fc");
  }

  private static void awaitReady(ContainedProcess process) throws Exception {
    assertThat(new String(process.out().readNBytes(6), StandardCharsets.UTF_8))
        .isEqualTo("ready\n");
  }
}
