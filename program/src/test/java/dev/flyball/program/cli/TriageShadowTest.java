package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("flyball triage --shadow that cannot begin ends with one line")
final class TriageShadowTest {
  @TempDir Path folder;

  @Test
  void anUnknownKeyOfTheOtherFileIsNamedWithThatFile() throws IOException {
    Path other = other("triage: {clasifier: rules}\n");

    var answer = flyball("triage", "--shadow", other.toString());

    assertThat(answer.code()).isEqualTo(2);
    assertThat(answer.err()).contains(other + ":1").contains("triage.clasifier");
  }

  @Test
  void aMissingFileIsNamed() {
    var answer = flyball("triage", "--shadow", folder.resolve("none.yaml").toString());

    assertThat(answer.code()).isEqualTo(2);
    assertThat(answer.err()).hasLineCount(1).contains(folder.resolve("none.yaml").toString());
  }

  @Test
  void aClassifierWithoutItsProgramIsNamedWithTheFile() throws IOException {
    Path other = other("triage: {classifier: agent, agent: 'command:/no/such/program'}\n");

    var answer = flyball("triage", "--shadow", other.toString());

    assertThat(answer.code()).isEqualTo(2);
    assertThat(answer.err()).hasLineCount(1).contains(other.toString()).contains("/no/such");
  }

  @Test
  void anAgeWithoutAUnitIsRejected() throws IOException {
    var answer =
        flyball(
            "triage",
            "--shadow",
            other("triage: {classifier: rules}\n").toString(),
            "--since",
            "7");

    assertThat(answer.code()).isEqualTo(2);
    assertThat(answer.err()).hasLineCount(1).contains("--since 7");
  }

  @Test
  void itsOptionsNeedIt() {
    assertThat(flyball("triage", "--since", "7d").code()).isEqualTo(2);
    assertThat(flyball("triage", "--json").code()).isEqualTo(2);
  }

  @Test
  void withoutKafkaItFails() throws IOException {
    var answer =
        flyball(
            "triage",
            "--shadow",
            other("triage: {classifier: rules}\n").toString(),
            "--data",
            folder.resolve("data").toString());

    assertThat(answer.code()).isEqualTo(1);
    assertThat(answer.err()).hasLineCount(1).contains("--bootstrap-servers");
  }

  private Path other(String yaml) throws IOException {
    return Files.writeString(folder.resolve("other.yaml"), yaml);
  }
}
