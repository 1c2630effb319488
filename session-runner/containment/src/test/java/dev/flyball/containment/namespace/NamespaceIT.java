package dev.flyball.containment.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentConformance;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.testkit.ProcSampler;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Level A by the warden in C. */
class NamespaceIT extends ContainmentConformance {
  static Containment containment;

  @BeforeAll
  static void probe(@TempDir Path data) throws Exception {
    containment = ContainmentProbe.strongest(settings(data), Level.A, Level.A).containment();
  }

  @Override
  protected Containment containment() {
    return containment;
  }

  @Test
  void theAgentSeesNeitherTheDeadmanNorItsDeadline() throws Exception {
    assertThat(
            output(
                containment.start(
                    sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' '; ls -l /proc/[0-9]*/fd 2>&1"),
                    LONG)))
        .contains("flyball-init")
        .doesNotContain("flyball-warden")
        .doesNotContain(".deadline");
  }

  /**
   * The kernel needs a while to end a namespace whose processes get no processor, and no scan has
   * seen its first process.
   */
  @Test
  void aWardenThatIsKilledBeforeTheFirstSampleLeavesNothing() throws Exception {
    Path sleep = Files.copy(Path.of("/bin/sleep"), folder.resolve("sleep"));
    String many =
        "for i in 1 2 3 4; do setsid taskset -c 0 %s 600 & done; echo ready; wait".formatted(sleep);
    ContainedProcess process = containment().start(sh("exec env -i sh -c '" + many + "'"), LONG);
    awaitReady(process);
    await().until(() -> ProcSampler.running(sleep).size() == 4);

    Process busy =
        new ProcessBuilder(
                "sh",
                "-c",
                "exec timeout 1 chrt -f 1 taskset -c 0 sh -c 'echo; while :; do :; done'")
            .start();
    try {
      assumeTrue(busy.getInputStream().read() == '\n', "needs a processor of its own: chrt -f");
      Kernel.signal((int) process.identity().pid(), Kernel.KILL);
      await().until(() -> !process.identity().alive());
      var report = process.kill(KillLadder.now(VERIFY));

      assertThat(report.survivors()).isZero();
      assertThat(ProcSampler.running(sleep)).isEmpty();
    } finally {
      busy.destroy();
    }
  }
}
