package dev.flyball.program.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.classifier.CallHost.CallWorkplaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The working directories of triage calls")
final class CallWorkplacesTest {
  @TempDir Path folder;

  @Test
  @DisplayName("what a killed process left is deleted with its files, of its own data folder only")
  void whatAKilledProcessLeft() throws IOException {
    Path calls = Files.createDirectories(folder.resolve("calls"));
    Path others = Files.createDirectories(folder.resolve("others"));
    Path left = new CallWorkplaces(calls, false).create();
    Files.writeString(Files.createDirectories(left.resolve("a/b")).resolve("file"), "text");
    Path kept = new CallWorkplaces(others, true).create();
    try {
      assertThat(AgentCall.sweep(calls)).isEmpty();

      assertThat(left).doesNotExist();
      assertThat(kept).isEmptyDirectory();
    } finally {
      CallHost.remove(kept);
    }
    assertThat(kept).doesNotExist();
  }

  @Test
  void aFileThatALinkNamesIsNotDeleted() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "kept");
    Path made = new CallWorkplaces(folder, false).create();
    Files.createSymbolicLink(made.resolve("link"), file);

    CallHost.remove(made);

    assertThat(made).doesNotExist();
    assertThat(file).exists();
  }
}
