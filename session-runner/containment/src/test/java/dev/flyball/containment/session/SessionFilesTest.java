package dev.flyball.containment.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.util.DefaultLocale;

final class SessionFilesTest {
  @TempDir Path folder;

  // A warden compares these digits; with others it would never see that the deadline has passed.
  @Test
  @DefaultLocale("fa-IR")
  void theDeadlinesDigitsAreAsciiInEveryLocale() throws Exception {
    try (var files = SessionFiles.create(folder, "s", 1_234)) {
      assertThat(files.deadline()).hasContent("           1234            1234\n");
    }
  }

  @Test
  void whatADeadRunnerLeftIsRemoved() throws Exception {
    var files = SessionFiles.create(folder, "s", 1_234);
    files.writePrompt("prompt");
    files.writeLaunch(new byte[1]);
    Files.createFile(folder.resolve("0123.half.c"));
    Path program = Files.createFile(folder.resolve("warden-0123-amd64"));

    SessionFiles.prepare(folder);

    assertThat(folder.toFile().listFiles()).containsExactly(program.toFile());
  }
}
