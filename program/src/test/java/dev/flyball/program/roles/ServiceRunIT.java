package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.terminal.Exit;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A service's run, from outside")
final class ServiceRunIT {

  @Test
  @DisplayName("TERM while it starts ends it within its stop limit, however long the start takes")
  void termEndsAStartThatHangs() throws Exception {
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                StuckStartMain.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader said = program.inputReader()) {
      assertThat(said.readLine()).isEqualTo("starting");

      program.destroy();

      assertThat(program.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(program.exitValue()).isEqualTo(Exit.FAILED.code());
    } finally {
      program.destroyForcibly();
    }
  }
}
