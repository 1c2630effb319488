package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.kernel.Kernel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an agent of the runner's own user can read of the runner at level B. */
@Timeout(60)
class RunnerSecretsIT {
  @TempDir Path folder;

  /**
   * An agent sees every process of the machine here, so this one holds by the runner's own prctl
   * alone; at level A the namespace hides it too. Root reads everything, hence as an ordinary user.
   * The second process shows that the agent could read if it were let.
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
        new ChildRunner(
            folder,
            root,
            Level.B,
            true,
            Duration.ofSeconds(60),
            1,
            List.of("/bin/sh", "-c", script))) {
      assertThat(runner.output).contains("level B");
      assertThat(seen).hasContent(ChildRunner.SECRET + "=control");
      runner.signal(Kernel.TERM);
      runner.awaitEnd();
    }
  }
}
