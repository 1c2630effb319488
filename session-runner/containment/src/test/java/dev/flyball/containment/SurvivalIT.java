package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.namespace.CgroupIT;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of docs/containment.md: each level, as each user, in every way that a tree may end. */
@Tag("long")
@DisplayName("INV-5: what survives, by level, user and way to end")
@Timeout(120)
class SurvivalIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir Path folder;

  /** Why a runner or its sessions end. */
  enum Ending {
    CANCEL("cancel"),
    TIMEOUT("timeout"),
    DRAIN("drain"),
    RUNNER_TERM("runner SIGTERM"),
    RUNNER_KILLED("runner kill -9"),
    RUNNER_STOPPED("runner SIGSTOP"),
    SUPERVISOR_KILLED("supervisor kill -9"),
    SUPERVISOR_KILLED_RUNNER_STOPPED("supervisor kill -9, runner SIGSTOP"),
    SUPERVISOR_AND_RUNNER_KILLED("supervisor and runner kill -9");

    private final String label;

    Ending(String label) {
      this.label = label;
    }
  }

  static Stream<Arguments> table() {
    return levels()
        .flatMap(level ->
            users()
                // No control group is delegated to the ordinary user of a test.
                .filter(ordinary -> !ordinary || level != Level.A_PLUS)
                .flatMap(ordinary ->
                    Stream.of(Ending.values())
                        .flatMap(ending ->
                            Stream.of(true, false)
                                // Without the warden in C there is level A alone.
                                .filter(warden -> warden || level == Level.A)
                                .map(warden -> Arguments.of(level, ordinary, ending, warden)))));
  }

  static Stream<Level> levels() {
    return Stream.of(Level.A, Level.A_PLUS, Level.B);
  }

  /** As the user that runs this test, and as an ordinary one. */
  private static Stream<Boolean> users() {
    return Stream.of(false, true);
  }

  /** What this machine or user cannot show is reported as skipped. */
  private static void assumePossible(Level level, boolean ordinary) {
    assumeTrue(
        level != Level.A_PLUS || CgroupIT.offered(),
        "this user may not create control groups here");
    assumeTrue(
        !ordinary || "root".equals(System.getProperty("user.name")),
        "only root becomes another user");
  }

  @ParameterizedTest(name = "level {0}, ordinary user: {1}, {2}, warden in C: {3}")
  @MethodSource("table")
  void survivorsAreThoseOfTheTable(Level level, boolean ordinary, Ending ending, boolean warden)
      throws Exception {
    run(folder, level, ordinary, ending, warden, 2);
  }

  @ParameterizedTest(name = "level {0}")
  @MethodSource("levels")
  void eightSessionsOfAKilledRunner(Level level) throws Exception {
    run(folder, level, level != Level.A_PLUS, Ending.RUNNER_KILLED, true, 8);
  }

  /** Ends a runner with full trees in this way, and waits until none of their processes lives. */
  static void run(
      Path folder, Level level, boolean ordinary, Ending ending, boolean warden, int sessions)
      throws Exception {
    assumePossible(level, ordinary);
    Duration life = ending == Ending.RUNNER_STOPPED ? Duration.ofSeconds(2) : LONG;
    try (var hostile = new HostileTree(folder);
        var runner =
            new ChildRunner(folder, ordinary, level, warden, life, sessions, hostile.command())) {
      assertThat(runner.output).contains("level " + level.label());
      hostile.awaitFull(sessions);
      int before = hostile.alive().size();

      long since = System.nanoTime();
      apply(runner, ending);
      await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> hostile.left().isEmpty());
      long ended = System.nanoTime();

      assertThat(hostile.left()).isEmpty();
      System.out.printf(
          "survival: level %s%s, %s, %s: 0 of %d after %d ms%n",
          level.label(),
          warden ? "" : " by shells",
          ordinary ? "ordinary user" : "this user",
          ending.label,
          before,
          (ended - since) / 1_000_000);
    }
  }

  private static void apply(ChildRunner runner, Ending ending) throws Exception {
    switch (ending) {
      case CANCEL -> assertThat(runner.command("cancel")).isEqualTo("survivors 0");
      case TIMEOUT -> assertThat(runner.command("timeout")).isEqualTo("survivors 0");
      case DRAIN -> assertThat(runner.command("drain")).isEqualTo("survivors 0");
      case RUNNER_TERM -> runner.signal(Kernel.TERM);
      case RUNNER_KILLED -> runner.signal(Kernel.KILL);
      case RUNNER_STOPPED -> runner.signal(Kernel.STOP);
      case SUPERVISOR_KILLED -> killSupervisors(runner);
      case SUPERVISOR_KILLED_RUNNER_STOPPED -> {
        runner.signal(Kernel.STOP);
        killSupervisors(runner);
      }
      case SUPERVISOR_AND_RUNNER_KILLED -> {
        killSupervisors(runner);
        runner.signal(Kernel.KILL);
      }
    }
  }

  private static void killSupervisors(ChildRunner runner) {
    runner.pids().forEach(pid -> Kernel.signal(pid, Kernel.KILL));
  }
}
