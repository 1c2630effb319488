package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.cli.CommandLineFixture.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MissingRepositoryTest {
  @TempDir Path folder;

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"up", "runner"})
  void nothingStartsWithASourceWhoseRepositoryIsNotThere(String command) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("flyball.yaml"),
            """
            data: data
            sources:
              - {name: a, type: jsonl, path: a.jsonl, repo: .}
              - {name: b, type: jsonl, path: b.jsonl, repo: gone}
            """);

    Answer answer =
        flyball(command, "--config", file.toString(), "--bootstrap-servers", "127.0.0.1:1");

    assertThat(answer.code()).isEqualTo(2);
    assertThat(answer.err())
        .isEqualTo(
            "flyball: source default/b: repo "
                + folder.resolve("gone")
                + " is not a directory; correct it, or remove it to use sessions.repo\n");
    assertThat(folder.resolve("data")).doesNotExist();
  }
}
