package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.cli.CommandLineFixture.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("flyball triage --shadow that cannot begin ends with one line")
final class TriageShadowTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          triage: {clasifier: rules}                                        |   | 2 | triage.clasifier
          triage: {classifier: agent, agent: "command:/no/such/program"}    |   | 2 | /no/such
          triage: {classifier: rules}                                       | 7 | 2 | --since 7
          triage: {classifier: rules}                                       |   | 1 | --bootstrap-servers
          """)
  void whatCannotBeginIsOneLineWithTheReason(String yaml, String age, int code, String named)
      throws IOException {
    Path other = Files.writeString(folder.resolve("other.yaml"), yaml + "\n");

    Answer answer =
        flyball(
            "triage",
            "--shadow",
            other.toString(),
            "--since",
            age == null ? "7d" : age,
            "--data",
            folder.resolve("data").toString());

    assertThat(answer.code()).isEqualTo(code);
    assertThat(answer.err()).hasLineCount(1).contains(named);
    assertThat(answer.err().contains(other.toString()))
        .as("a mistake in that file is named with it")
        .isEqualTo(code == 2 && age == null);
  }

  @Test
  void aMissingFileIsNamedAndTheOptionsNeedOne() {
    Answer answer = flyball("triage", "--shadow", folder.resolve("none.yaml").toString());

    assertThat(answer.code()).isEqualTo(2);
    assertThat(answer.err()).hasLineCount(1).contains(folder.resolve("none.yaml").toString());
    assertThat(flyball("triage", "--since", "7d").code()).isEqualTo(2);
    assertThat(flyball("triage", "--json").code()).isEqualTo(2);
  }
}
