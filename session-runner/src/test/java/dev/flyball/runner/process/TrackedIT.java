package dev.flyball.runner.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.flyball.runner.process.ContainedProcess.Exit;
import dev.flyball.runner.process.ContainedProcess.KillLadder;
import dev.flyball.runner.process.Containment.Level;
import dev.flyball.testkit.ProcSampler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Level C with real processes; pins exactly what escapes it. */
@Timeout(60)
class TrackedIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration VERIFY = Duration.ofSeconds(10);
  private static final KillLadder LADDER =
      new KillLadder(Duration.ZERO, Duration.ofMillis(300), VERIFY);

  /**
   * A double fork that cleans its environment between two looks has no link left to its session.
   */
  private static final String ESCAPES = "noenvd";

  static final List<String> KINDS = HostileTree.KINDS;

  @TempDir Path folder;
  private TrackedContainment containment;

  @BeforeEach
  void start() throws Exception {
    // No looks in between: a lucky one would see the escape as it happens, and the pin would be of
    // chance.
    containment =
        new TrackedContainment(
            ContainmentSettings.in(folder).withTick(Duration.ofMillis(50)), Duration.ofHours(1));
  }

  @AfterEach
  void stop() {
    containment.close();
  }

  @ParameterizedTest
  @FieldSource("KINDS")
  void cancelEndsEveryKindButOne(String kind) throws Exception {
    try (var hostile = new HostileTree(folder)) {
      Launch launch = hostile.launch(kind);
      ContainedProcess process = containment.start(launch, LONG);
      awaitReady(process);
      if (kind.equals(ESCAPES)) {
        // It carries the cookie until its exec; only then has it escaped.
        await()
            .until(() ->
                hostile.alive().size() == 2
                    && ProcSampler.withCookie(launch.session()).size() == 1);
      }

      var report = process.kill(LADDER);

      assertThat(report.survivors()).isZero();
      assertThat(hostile.left()).hasSize(kind.equals(ESCAPES) ? 1 : 0);
      assertThat(process.onExit().get(5, TimeUnit.SECONDS)).isEqualTo(new Exit(143, 15));
    }
  }

  @Test
  void theDeadmanEndsAFrozenRunnersTrees() throws Exception {
    try (var hostile = new HostileTree(folder);
        var runner =
            new DoomedRunner(folder, false, Level.C, Duration.ofSeconds(2), 1, hostile.command())) {
      hostile.awaitFull(1);

      runner.signal(Kernel.STOP);

      await()
          .during(Duration.ofMillis(300))
          .atMost(Duration.ofSeconds(10))
          .until(() -> onlyTheEscape(hostile));
    }
  }

  @Test
  void theGuardEndsAKilledRunnersTrees() throws Exception {
    try (var hostile = new HostileTree(folder);
        var runner = new DoomedRunner(folder, false, Level.C, LONG, 1, hostile.command())) {
      hostile.awaitFull(1);

      long killed = System.nanoTime();
      runner.signal(Kernel.KILL);

      // The guard ends when it has found nothing in five looks.
      await().atMost(Duration.ofSeconds(15)).until(() -> runner.guardIsGone());
      assertThat(hostile.alive())
          .allSatisfy(seen -> assertThat(seen.commandLine()).startsWith("sshd: nobody"));
      System.out.printf(
          "level C, kill -9: %d survivors after %d ms%n",
          hostile.alive().size(), (System.nanoTime() - killed) / 1_000_000);
    }
  }

  @Test
  void aGuardThatDiesIsReplacedAndKnowsTheSessions() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess process = containment.start(hostile.launch("setsid", "igterm"), LONG);
      awaitReady(process);
      long first = containment.guardPid();

      Kernel.signal((int) first, Kernel.KILL);

      await()
          .until(() -> containment.guardPid() != first && process.extend(Duration.ofMillis(200)));
      await().atMost(Duration.ofSeconds(10)).until(() -> hostile.left().isEmpty());
    }
  }

  @Test
  void aGuardThatIsFrozenStartsNothingAndIsReplaced() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      long first = containment.guardPid();
      Kernel.signal((int) first, Kernel.STOP);

      assertThatThrownBy(() -> containment.start(hostile.launch("igterm"), LONG))
          .isInstanceOf(CannotStart.class)
          .hasMessageContaining("guard process does not answer");

      assertThat(hostile.left()).isEmpty();
      await().until(() -> containment.guardPid() != first);
      ContainedProcess process = containment.start(hostile.launch("igterm"), LONG);
      awaitReady(process);
      assertThat(process.kill(LADDER).survivors()).isZero();
    }
  }

  @Test
  void pastItsDeadlineNoAgentIsStarted() throws Exception {
    Path mark = folder.resolve("mark");
    ContainedProcess process =
        containment.start(
            new Launch(
                UUID.randomUUID().toString(),
                List.of("/bin/sh", "-c", "echo started >" + mark),
                Map.of("PATH", "/usr/bin:/bin"),
                folder,
                ""),
            Duration.ZERO);

    assertThat(process.onExit().get(10, TimeUnit.SECONDS)).isEqualTo(new Exit(137, 9));
    assertThat(mark).doesNotExist();
  }

  /**
   * An agent of the same user sees every process of the machine here, so this one holds by the
   * runner's own prctl alone; at level A the namespace hides it too. Root reads everything, hence
   * as an ordinary user. The second process shows that the agent could read if it were let.
   */
  @Test
  void theAgentCannotReadItsRunnersEnvironment() throws Exception {
    boolean root = "root".equals(System.getProperty("user.name"));
    Path seen = folder.resolve("seen");
    String script =
        """
        RUNNER_ONLY=control sleep 60 &
        until grep -q RUNNER_ONLY /proc/$!/environ; do sleep 0.1; done
        cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep RUNNER_ONLY | sort -u > '%s'
        echo ready
        """
            .formatted(seen);
    try (var runner =
        new DoomedRunner(folder, root, Level.C, LONG, 1, List.of("/bin/sh", "-c", script))) {
      assertThat(runner.said).contains("level C");
      assertThat(seen).hasContent(DoomedRunner.SECRET + "=control");
      runner.signal(Kernel.TERM);
      runner.awaitEnd();
    }
  }

  /**
   * Whether the one kind that escapes is all that is left; a look at the right moment catches even
   * that one.
   */
  private static boolean onlyTheEscape(HostileTree hostile) {
    return hostile.alive().stream().allMatch(seen -> seen.commandLine().startsWith("sshd: nobody"));
  }

  private static void awaitReady(ContainedProcess process) throws Exception {
    assertThat(new String(process.out().readNBytes(6), StandardCharsets.UTF_8))
        .isEqualTo("ready\n");
  }
}
