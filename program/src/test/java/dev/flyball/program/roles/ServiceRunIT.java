package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.program.roles.ServiceRun.StopLimit;
import dev.flyball.program.terminal.Exit;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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
                StuckStart.class.getName())
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

  /** A program whose start never ends, with a stop limit of half a second. */
  static final class StuckStart {
    private StuckStart() {}

    public static void main(String[] args) {
      var stuck =
          new Service() {
            @Override
            public void start() {
              System.out.println("starting");
              new CompletableFuture<Void>().join();
            }

            @Override
            public void stop() {}

            @Override
            public Health health() {
              throw new IllegalStateException("asked before it has started");
            }
          };
      Duration grace = Duration.ofMillis(500).minus(StopLimit.forLadder(Duration.ZERO));
      var _ =
          new ServiceRun(
                  stuck,
                  Signals.caught(),
                  new CompletableFuture<>(),
                  Exit.UNHEALTHY,
                  Duration.ZERO,
                  grace)
              .untilEnded(() -> {}, () -> {});
    }
  }
}
