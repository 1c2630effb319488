package dev.flyball.tracker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** No process of a program is left, whatever its child processes did to escape. */
@EnabledOnOs(OS.LINUX)
class ProcessTreeTest {
  @TempDir Path folder;

  @AfterEach
  void endWhatAFailedTestLeft() throws IOException {
    alive().forEach(ProcessHandle::destroyForcibly);
  }

  @Test
  void childrenOfChildrenSessionsOfTheirOwnAndOrphansEndWithIt() throws IOException {
    // A child that ignores TERM, a grandchild, one in a separate session, one whose parent has
    // exited.
    Process root =
        start(
            """
            deaf() { trap '' TERM; echo $BASHPID >> pids; while :; do sleep 300; done; }
            deaf &
            (deaf & wait) &
            setsid bash -c 'echo $$ >> pids; exec sleep 300' &
            (setsid bash -c 'echo $$ >> pids; exec sleep 300' &)
            wait
            """);
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> pids().size() == 4);

    new ProcessTree(root, "m-1").end();

    assertThat(root.isAlive()).isFalse();
    assertThat(alive()).isEmpty();
  }

  @Test
  void anotherCallsProcessesAreNotTouched() throws IOException {
    Process root = start("echo $$ >> pids; exec sleep 300");
    Process other = start("echo $$ >> pids; exec sleep 300", "m-10");
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> pids().size() == 2);

    new ProcessTree(root, "m-1").end();

    assertThat(root.isAlive()).isFalse();
    assertThat(other.isAlive()).isTrue();
  }

  private Process start(String script) throws IOException {
    return start(script, "m-1");
  }

  private Process start(String script, String mark) throws IOException {
    var builder = new ProcessBuilder("bash", "-c", script).directory(folder.toFile());
    builder.environment().put(ProcessTree.MARK, mark);
    return builder
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private List<Long> pids() throws IOException {
    Path file = folder.resolve("pids");
    return Files.exists(file)
        ? Files.readAllLines(file).stream().map(Long::parseLong).toList()
        : List.of();
  }

  private List<ProcessHandle> alive() throws IOException {
    return pids().stream()
        .flatMap(pid -> ProcessHandle.of(pid).stream())
        .filter(ProcessHandle::isAlive)
        .toList();
  }
}
