package dev.flyball.containment.warden;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A tree that kill -9 does not end, as one that waits for a disk: here it is frozen by a control
 * group of v1, whose processes die once they are thawed.
 */
@Timeout(60)
class WardenAtRestIT {
  /** Of a process's CPU time, in /proc: 10 ms each. */
  private static final int TICKS_A_SECOND = 100;

  @TempDir Path folder;
  private Path freezer;
  private Path group;

  /** Mounted here, because a machine with control groups of v2 mounts none of v1. */
  @BeforeEach
  void group() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "only root freezes");
    freezer = Files.createDirectory(folder.resolve("freezer"));
    run("mount", "-t", "cgroup", "-o", "freezer", "flyball-test", freezer.toString());
    group = Files.createTempDirectory(freezer, "flyball-test-");
  }

  @AfterEach
  void thawed() throws Exception {
    if (group != null) {
      state("THAWED");
      await()
          .ignoreExceptions()
          .until(() -> {
            Files.deleteIfExists(group);
            return true;
          });
      run("umount", freezer.toString());
    }
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  @ParameterizedTest(name = "level {0}")
  @ValueSource(strings = {"a", "b"})
  void itTriesAgainWithoutTakingAProcessor(String level) throws Exception {
    Process warden =
        BareWarden.start(folder, level, "/bin/sh", "-c", "sleep 1000 & wait")
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      await().until(() -> processes(warden, "/sleep").size() == 1);
      Set<Long> agents = processes(warden, "/sh");
      agents.addAll(processes(warden, "/sleep"));
      for (long agent : agents) {
        Files.writeString(group.resolve("cgroup.procs"), Long.toString(agent));
      }
      state("FROZEN");
      await()
          .until(() -> Files.readString(group.resolve("freezer.state")).strip().equals("FROZEN"));

      warden.toHandle().destroy();

      long before = ticks(warden.pid());
      assertThat(warden.waitFor(1, TimeUnit.SECONDS)).as("it ended before its tree").isFalse();
      assertThat(ticks(warden.pid()) - before).as("CPU time").isLessThan(TICKS_A_SECOND / 4);
      assertThat(agents).allMatch(agent -> Files.exists(Path.of("/proc/" + agent)));

      state("THAWED");
      assertThat(warden.waitFor(20, TimeUnit.SECONDS)).as("it ended after its tree").isTrue();
      assertThat(agents).noneMatch(agent -> Files.exists(Path.of("/proc/" + agent)));
    } finally {
      warden.destroyForcibly();
    }
  }

  private void state(String state) throws IOException {
    Files.writeString(group.resolve("freezer.state"), state);
  }

  /** The processes below the warden that run a program of this name. */
  private static Set<Long> processes(Process warden, String program) {
    return warden
        .descendants()
        .filter(one -> one.info().command().orElse("").endsWith(program(program)))
        .map(ProcessHandle::pid)
        .collect(toSet());
  }

  /** /bin/sh is a link. */
  private static String program(String name) {
    try {
      return Path.of("/bin" + name).toRealPath().toString();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The CPU time of the outer warden: it ends the inner one with the tree. */
  private static long ticks(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] after = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(after[11]) + Long.parseLong(after[12]);
  }
}
