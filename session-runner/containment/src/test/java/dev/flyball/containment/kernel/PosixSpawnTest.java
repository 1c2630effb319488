package dev.flyball.containment.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A program that posix_spawn starts")
final class PosixSpawnTest {
  private static final int USR1 = 10;
  private static final int IGNORE = 1;

  @Test
  @DisplayName("ignores no signal: a runner in a shell's background ignores INT, agents must not")
  void signalsThatThisJvmIgnoresAreNotIgnored() throws Exception {
    long before = Kernel.call(Kernel.symbol("signal"), USR1, IGNORE, 0, 0, 0, 0);
    try {
      PosixSpawn.Started started =
          PosixSpawn.start(
              List.of("/bin/cat", "/proc/self/status"),
              Map.of(),
              Path.of("/"),
              Path.of("/dev/null"));
      String status = new String(started.out().readAllBytes(), StandardCharsets.UTF_8);
      Kernel.reapCode(started.pid());

      assertThat(status).contains("SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000");
    } finally {
      Kernel.call(Kernel.symbol("signal"), USR1, before, 0, 0, 0, 0);
    }
  }
}
