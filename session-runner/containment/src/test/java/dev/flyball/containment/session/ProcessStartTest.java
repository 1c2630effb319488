package dev.flyball.containment.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.kernel.ProcessEntry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A session's outermost process is the same, whichever way it is started")
final class ProcessStartTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("PATH", "/usr/bin:/bin", "NAME", "a value = \u00e4");

  @TempDir Path folder;
  private Path input;

  enum Way {
    SPAWN {
      @Override
      Process start(ProcessStart it) throws IOException {
        return Spawner.start(it::bySpawn);
      }
    },
    BUILDER {
      @Override
      Process start(ProcessStart it) throws IOException {
        return Spawner.start(it::byBuilder);
      }
    };

    abstract Process start(ProcessStart it) throws IOException;
  }

  @BeforeEach
  void anInput() throws IOException {
    input = Files.writeString(folder.resolve("input"), "from a file\n");
  }

  @ParameterizedTest
  @EnumSource
  void itsStreamsAndExitCodeAreThoseOfTheProgram(Way way) throws Exception {
    Process process = way.start(shell("cat; echo complaint >&2; exit 3"));

    assertThat(text(process)).isEqualTo("from a file\n");
    assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("complaint\n");
    assertThat(process.waitFor()).isEqualTo(3);
    assertThat(process.isAlive()).isFalse();
    assertThat(process.exitValue()).isEqualTo(3);
    assertThat(process.onExit().get().exitValue()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource
  void aSignalThatEndsItShowsInItsCode(Way way) throws Exception {
    assertThat(way.start(shell("kill -9 $$")).waitFor()).isEqualTo(137);
    assertThat(way.start(shell("exec sleep 60")).destroyForcibly().waitFor()).isEqualTo(137);
    Process asked = way.start(shell("exec sleep 60"));
    asked.destroy();
    assertThat(asked.waitFor()).isEqualTo(143);
  }

  @ParameterizedTest
  @EnumSource
  void itHasTheGivenVariablesAndNoOther(Way way) throws Exception {
    var env = new ProcessStart(List.of("/usr/bin/env"), ENVIRONMENT, folder, input);

    assertThat(text(way.start(env)).lines())
        .containsExactlyInAnyOrder("PATH=/usr/bin:/bin", "NAME=a value = \u00e4");
  }

  @ParameterizedTest
  @EnumSource
  void itRunsInTheGivenDirectory(Way way) throws Exception {
    assertThat(text(way.start(shell("pwd -P"))).strip())
        .isEqualTo(folder.toRealPath().toString());
  }

  @ParameterizedTest
  @EnumSource
  void itInheritsThreeDescriptors(Way way) throws Exception {
    try (var open = Files.newInputStream(input)) {
      assertThat(open.read()).isPositive();

      assertThat(text(way.start(shell("for it in /proc/$$/fd/*; do echo ${it##*/}; done"))).lines())
          .as("3 is the folder that the shell lists")
          .containsExactly("0", "1", "2", "3");
    }
  }

  @ParameterizedTest
  @EnumSource
  void itLeadsAKernelSession(Way way) throws Exception {
    Process process = way.start(shell("read -r line; exec sleep 60"));

    // The builder's way has a program in between that begins the session.
    await()
        .until(() ->
            ProcessEntry.read((int) process.pid()).map(ProcessEntry::session).orElse(0)
                == process.pid());
    assertThat(Spawner.started((int) process.pid())).isTrue();
    process.destroyForcibly().waitFor();
    await().until(() -> !Spawner.started((int) process.pid()));
  }

  @ParameterizedTest
  @EnumSource(names = "SPAWN")
  @DisplayName("no signal is blocked or ignored in it; a JVM's threads block some")
  void noSignalIsBlocked(Way way) throws Exception {
    String status = text(way.start(shell("exec cat /proc/self/status")));

    assertThat(status).contains("SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000");
  }

  @ParameterizedTest
  @EnumSource
  void whatCannotBeExecutedIsReportedWithItsReason(Way way) throws Exception {
    Path data = Files.writeString(folder.resolve("data"), "no program");
    var denied = new ProcessStart(List.of(data.toString()), ENVIRONMENT, folder, input);
    var elsewhere =
        new ProcessStart(List.of("/bin/true"), ENVIRONMENT, folder.resolve("no"), input);

    if (way == Way.SPAWN) {
      assertThatThrownBy(() -> way.start(denied))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("error: 13");
    } else {
      assertThat(way.start(denied).waitFor()).as("setsid's code").isEqualTo(126);
    }
    assertThatThrownBy(() -> way.start(elsewhere))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("error: 2");
  }

  @ParameterizedTest
  @EnumSource
  void manyStartsLeaveNoZombieAndNoDescriptor(Way way) throws Exception {
    way.start(shell("exit 0")).waitFor();
    long before = descriptors();
    for (int i = 0; i < 200; i++) {
      Process process = way.start(shell("echo done"));
      try (var out = process.getInputStream();
          var err = process.getErrorStream()) {
        out.readAllBytes();
        err.readAllBytes();
      }
      assertThat(process.waitFor()).isZero();
    }

    await().atMost(Duration.ofSeconds(5)).until(() -> descriptors() <= before + 2);
    assertThat(
            ProcessHandle.current().children().filter(child -> !child.isAlive()).toList())
        .isEmpty();
  }

  private static long descriptors() {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ProcessStart shell(String script) {
    return new ProcessStart(List.of("/bin/sh", "-c", script), ENVIRONMENT, folder, input);
  }

  private static String text(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
