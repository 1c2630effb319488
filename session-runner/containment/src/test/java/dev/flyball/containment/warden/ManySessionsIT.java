package dev.flyball.containment.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import dev.flyball.containment.probe.ContainmentProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Thousands of sessions leave nothing with the runner. */
@Tag("long")
@Timeout(600)
class ManySessionsIT {
  private static final int SESSIONS = Integer.getInteger("flyball.sessions", 1_000);
  private static final int WARM = 500;
  private static final KillLadder VERIFY = KillLadder.now(Duration.ofSeconds(10));

  @TempDir Path folder;

  @ParameterizedTest(name = "level {0}")
  @EnumSource(names = {"A", "B"})
  void noZombieNoDescriptorAndNoMemoryIsGained(Level level) throws Exception {
    Containment containment =
        ContainmentProbe.strongest(ContainmentSettings.in(folder), level, level).containment();
    run(containment, WARM);
    int files = count(Path.of("/proc/self/fd"));
    long heap = usedHeap();

    run(containment, SESSIONS);

    assertThat(ProcessTable.children()).as("zombies").filteredOn(one -> !one.alive()).isEmpty();
    assertThat(ProcessTable.children()).extracting(ProcessEntry::pid).hasSizeLessThan(3);
    assertThat(count(Path.of("/proc/self/fd"))).isLessThanOrEqualTo(files + 2);
    assertThat(count(folder.resolve("run"))).isLessThanOrEqualTo(2);
    long gained = usedHeap() - heap;
    assertThat(gained)
        .as("bytes of heap: 200 that each session leaves, and 256 KB that the JVM keeps of code")
        .isLessThan(200L * SESSIONS + (256 << 10));
    System.out.printf(
        "%d sessions at level %s: %d KB of heap gained%n", SESSIONS, level.label(), gained >> 10);
  }

  private void run(Containment containment, int sessions) throws Exception {
    for (int i = 0; i < sessions; i++) {
      var launch =
          new Launch(UUID.randomUUID().toString(), List.of("/bin/true"), Map.of(), folder, "");
      ContainedProcess process = containment.start(launch, Duration.ofSeconds(60));
      assertThat(process.onExit().get(10, TimeUnit.SECONDS)).isEqualTo(new Exit(0, 0));
      // Every hundredth is searched for survivors, as a runner does for each.
      if (i % 100 == 0) {
        assertThat(process.kill(VERIFY).survivors()).isZero();
      }
    }
  }

  private static int count(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return (int) files.count();
    }
  }

  private static long usedHeap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
