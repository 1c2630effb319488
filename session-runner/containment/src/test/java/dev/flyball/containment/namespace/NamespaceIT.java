package dev.flyball.containment.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentConformance;
import dev.flyball.containment.probe.ContainmentProbe;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Level A. */
class NamespaceIT extends ContainmentConformance {
  private static Containment containment;

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
}
