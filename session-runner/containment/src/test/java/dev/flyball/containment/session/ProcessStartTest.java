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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
    assertThat(text(way.start(shell("pwd -P"))).strip()).isEqualTo(folder.toRealPath().toString());
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
  @EnumSource
  @DisplayName("no signal is blocked in it; a JVM's threads block some")
  void noSignalIsBlocked(Way way) throws Exception {
    String status = text(way.start(shell("exec cat /proc/self/status")));

    assertThat(status).contains("SigBlk:\t0000000000000000");
  }

  @ParameterizedTest
  @EnumSource
  void whatCannotBeExecutedIsReportedWithItsReason(Way way) throws Exception {
    Path data = Files.writeString(folder.resolve("data"), "no program");

    assertThatThrownBy(() -> way.start(program(data.toString())))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(data.toString(), "error: 13");
    assertThatThrownBy(() -> way.start(program(folder.toString())))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("error: 13");
    assertThatThrownBy(() -> way.start(program("/nowhere/program")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("error: 2");
    Path no = folder.resolve("no");
    assertThatThrownBy(
            () -> way.start(new ProcessStart(List.of("/bin/true"), ENVIRONMENT, no, input)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("error: 2");
    assertThatThrownBy(
            () -> way.start(new ProcessStart(List.of("/bin/true"), ENVIRONMENT, folder, no)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("such file");
    assertThatThrownBy(() -> way.start(program("/bin/echo", "x".repeat(200_000))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("error: 7");
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a text is passed whole or not at all")
  void nullCharactersAreRejected(Way way) {
    var variable = Map.of("NAME", "a\0b");

    assertThatThrownBy(() -> way.start(program("/bin/echo", "a\0b")))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(
            () -> way.start(new ProcessStart(List.of("/usr/bin/env"), variable, folder, input)))
        .isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a read on a virtual thread occupies none of the threads that run virtual threads")
  void silentProcessesStopNoVirtualThread(Way way) throws Exception {
    var silent = new ArrayList<Process>();
    var readers = new ArrayList<Thread>();
    try {
      for (int i = 0; i < Runtime.getRuntime().availableProcessors() + 1; i++) {
        Process process = way.start(shell("exec sleep 60"));
        silent.add(process);
        var reads = new CountDownLatch(1);
        readers.add(
            Thread.startVirtualThread(() -> {
              reads.countDown();
              try {
                assertThat(process.getInputStream().read()).isEqualTo(-1);
              } catch (IOException e) {
                // The JDK closes its stream at the exit, perhaps under this reader.
              }
            }));
        assertThat(reads.await(10, TimeUnit.SECONDS)).as("virtual thread %d runs", i).isTrue();
      }
    } finally {
      silent.forEach(Process::destroyForcibly);
    }
    for (Thread reader : readers) {
      assertThat(reader.join(Duration.ofSeconds(10))).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("what waits for its exit may wait for a thread that signals it")
  void signalsDoNotWaitForWhatFollowsTheExit(Way way) throws Exception {
    Process process = way.start(shell("exec sleep 60"));
    var signalled = new CountDownLatch(1);
    var followed = new CompletableFuture<Boolean>();
    var _ =
        process
            .onExit()
            .thenRun(() -> {
              try {
                followed.complete(signalled.await(10, TimeUnit.SECONDS));
              } catch (InterruptedException e) {
                followed.complete(false);
              }
            });

    process.destroyForcibly().waitFor();
    process.destroyForcibly();
    signalled.countDown();

    assertThat(followed.get(20, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("after its exit its output ends, although another process holds the pipe")
  void anotherProcessThatHoldsThePipeKeepsNoReaderWaiting(Way way) throws Exception {
    long before = descriptors();
    Process process = way.start(shell("sleep 60 & echo $!"));
    process.waitFor();
    await().atMost(Duration.ofSeconds(5)).until(() -> descriptors() <= before);

    long sleeps = Long.parseLong(text(process).strip());

    assertThat(ProcessHandle.of(sleeps)).get().matches(ProcessHandle::destroyForcibly);
  }

  @ParameterizedTest
  @EnumSource
  void manyStartsLeaveNoZombieAndNoDescriptor(Way way) throws Exception {
    way.start(shell("exit 0")).waitFor();
    long before = descriptors();
    for (int i = 0; i < 200; i++) {
      // Nothing is read, and nothing closed.
      assertThat(way.start(shell("echo done")).waitFor()).isZero();
    }

    await().atMost(Duration.ofSeconds(5)).until(() -> descriptors() <= before + 2);
    assertThat(ProcessHandle.current().children().filter(child -> !child.isAlive()).toList())
        .isEmpty();
  }

  private static long descriptors() {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ProcessStart program(String... command) {
    return new ProcessStart(List.of(command), ENVIRONMENT, folder, input);
  }

  private ProcessStart shell(String script) {
    return new ProcessStart(List.of("/bin/sh", "-c", script), ENVIRONMENT, folder, input);
  }

  private static String text(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
