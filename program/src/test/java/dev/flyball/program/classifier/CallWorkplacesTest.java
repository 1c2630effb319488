package dev.flyball.program.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.runner.journal.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The working directories of triage calls")
final class CallWorkplacesTest {
  @TempDir Path folder;

  @Test
  @DisplayName("that of a killed process is deleted with its files, that of a live one is not")
  void whatAKilledProcessLeft() throws IOException {
    Path calls = Files.createDirectory(folder.resolve("calls"));
    Identity own = Identity.own();
    var dead = new Identity(own.pid(), own.startTicks() + 1, own.bootId(), own.pidNamespace());
    Path left = called(calls, "left", dead);
    Path kept = called(calls, "kept", own);

    assertThat(AgentCall.sweep(calls)).hasSize(2);

    assertThat(left).doesNotExist();
    assertThat(kept).isNotEmptyDirectory();
    assertThat(AgentCall.sweep(calls)).hasSize(2);
  }

  private Path called(Path calls, String name, Identity owner) throws IOException {
    Path workplace = folder.resolve(name);
    Files.writeString(Files.createDirectories(workplace.resolve("a/b")).resolve("file"), "text");
    try (Journal journal = Journal.open(calls)) {
      journal.opened(
          new Journal.Row(
              "triage-" + name, "-", workplace.toString(), "A", owner, Optional.empty(), 0));
    }
    return workplace;
  }

  @Test
  void aFileThatALinkNamesIsNotDeleted() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "kept");
    Path made = Files.createDirectory(folder.resolve("made"));
    Files.createSymbolicLink(made.resolve("link"), file);

    AgentCall.remove(made);

    assertThat(made).doesNotExist();
    assertThat(file).exists();
  }
}
