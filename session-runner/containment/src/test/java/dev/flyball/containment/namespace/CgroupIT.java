package dev.flyball.containment.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentConformance;
import dev.flyball.containment.Launch;
import dev.flyball.containment.probe.ContainmentProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Level A+: limits that the kernel holds, where it allows control groups")
public final class CgroupIT extends ContainmentConformance {
  private static final KillLadder NOW = KillLadder.now(Duration.ofSeconds(10));
  private static final long MEMORY = 64 << 20;
  private static final String NOT_OFFERED = "this user may not create control groups here";

  private static final String SESSION = UUID.randomUUID().toString();

  static Containment containment;

  /** One that limits memory. */
  private static ContainmentProbe.Found found;

  /** Whether this machine lets this user create control groups. */
  public static boolean offered() {
    try {
      Path nowhere = Files.createTempDirectory("flyball-cgroups");
      Files.delete(nowhere);
      return Cgroups.here(nowhere, 0).missing().isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  @BeforeAll
  static void probe(@TempDir Path data, @TempDir Path limited) throws IOException {
    containment = ContainmentProbe.strongest(settings(data), Level.B, Level.A_PLUS).containment();
    found = ContainmentProbe.strongest(settings(limited).withMemory(MEMORY), Level.A, Level.A_PLUS);
  }

  @Override
  protected Containment containment() {
    assumeTrue(containment.level() == Level.A_PLUS, NOT_OFFERED);
    return containment;
  }

  @Test
  void whereTheyAreNotAllowedLevelAIsTakenWithTheReason() {
    if (offered()) {
      assertThat(found.containment().level()).isEqualTo(Level.A_PLUS);
      assertThat(found.unavailable()).isEmpty();
    } else if (found.containment().level() == Level.A) {
      assertThat(found.unavailable()).anyMatch(line -> line.startsWith("A+: "));
    } else {
      assertThat(found.containment().missing()).isNotEmpty();
    }
  }

  @Test
  void noProcessStartsOutsideAndTheGroupsAreRemovedWithTheSession() throws Exception {
    assumeTrue(offered(), NOT_OFFERED);
    ContainedProcess process =
        start(found.containment(), "cat /proc/self/cgroup; echo end; sleep 60");

    assertThat(readTo(process, "end").lines().filter(line -> line.endsWith("." + SESSION)))
        .hasSameSizeAs(groups())
        .isNotEmpty();
    assertThat(process.kill(NOW).survivors()).isZero();
    await().untilAsserted(() -> assertThat(groups()).isEmpty());
  }

  @Test
  @DisplayName("S4-8: a session that forks without end reaches its group's limit")
  void forksAreLimited() throws Exception {
    assumeTrue(offered(), NOT_OFFERED);
    ContainedProcess process =
        start(
            containment(),
            "exec perl -e '$| = 1; while ($n < 3000) { $p = fork; last if !defined $p;"
                + " if (!$p) { sleep 60; exit } $n++ } print \"$n end\\n\"; sleep 60'");

    String printed = readTo(process, "end");

    assertThat(Integer.parseInt(printed.split(" ")[0])).isBetween(900, 1024);
    assertThat(process.kill(NOW).survivors()).isZero();
  }

  @Test
  void memoryIsLimited() throws Exception {
    assumeTrue(offered(), NOT_OFFERED);
    ContainedProcess process =
        start(
            found.containment(),
            "exec perl -e '$x = \"a\" x (4 * %s); sleep 60'".formatted(MEMORY));

    assertThat(process.onExit().get(30, TimeUnit.SECONDS)).isEqualTo(new Exit(137, 9));
    assertThat(process.kill(NOW).survivors()).isZero();
  }

  @Test
  void onlyTheEmptyGroupsOfADeadRunnerAreRemoved() throws Exception {
    assumeTrue(offered(), NOT_OFFERED);
    Cgroups.Leaf left = Cgroups.here(folder, 0).leaf("left");
    Cgroups.Leaf others = Cgroups.here(folder.resolve("other"), 0).leaf("others");

    Cgroups.here(folder, 0);

    assertThat(left.all()).noneMatch(Files::exists);
    assertThat(others.all()).allMatch(Files::exists);
    others.remove();
  }

  /** Other sessions' groups are removed meanwhile: what cannot be read any more is skipped. */
  private static List<String> groups() throws IOException {
    Process find =
        new ProcessBuilder("find", "/sys/fs/cgroup", "-maxdepth", "6", "-name", "*." + SESSION)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    return find.inputReader().lines().toList();
  }

  private ContainedProcess start(Containment with, String script) throws IOException {
    var launch =
        new Launch(
            SESSION, List.of("/bin/sh", "-c", script), Map.of("PATH", "/usr/bin:/bin"), folder, "");
    return with.start(launch, LONG);
  }

  private static String readTo(ContainedProcess process, String end) throws IOException {
    var printed = new StringBuilder();
    while (!printed.toString().endsWith(end + "\n")) {
      int next = process.out().read();
      if (next < 0) {
        break;
      }
      printed.append((char) next);
    }
    return printed.toString();
  }
}
