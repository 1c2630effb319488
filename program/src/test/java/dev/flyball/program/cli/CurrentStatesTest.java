package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.cli.DeadLetterCommands.CurrentStates;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("What a projection does not contain stays empty and fails no command")
final class CurrentStatesTest {
  private static final String KEY = "default/items/1";

  @TempDir Path data;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @Test
  void anItemIsWhereTheConsoleSaysAndNothingElseIsSaid() {
    new ProjectionFixture(data).asOf(Instant.now()).item(KEY, "analyzed", "", null);

    assertThat(states(KEY, "default/items/2")).containsExactly("analyzed", "");
    assertThat(err()).isEmpty();
  }

  @Test
  void anOldAnswerSaysHowOldItIsButNotWhereNothingWasAnswered() {
    new ProjectionFixture(data)
        .asOf(Instant.parse("2026-02-10T08:00:40Z"))
        .item(KEY, "dead", "", null);

    assertThat(states("default/items/2")).containsExactly("");
    assertThat(err()).isEmpty();
    assertThat(states(KEY, KEY)).containsExactly("dead", "dead");
    assertThat(err()).startsWith("flyball: as of 2026-02-10T08:00:40Z, ").hasLineCount(1);
  }

  @Test
  void aFolderWithoutAConsoleKnowsNothing() {
    assertThat(states(KEY)).containsExactly("");
    assertThat(err()).isEmpty();
  }

  @Test
  void aConsoleThatHasNoTablesYetKnowsNothing() throws IOException {
    Files.createFile(Files.createDirectories(data.resolve("console")).resolve("console.db"));

    assertThat(states(KEY)).containsExactly("");
    assertThat(err()).isEmpty();
  }

  @Test
  void aFileThatIsNoDatabaseOrCannotBeOpenedIsOneLine() throws IOException {
    Path file = Files.createDirectories(data.resolve("console")).resolve("console.db");

    Files.writeString(file, "not a database, and longer than the header of one is: ".repeat(20));
    assertThat(states(KEY, KEY)).containsExactly("", "");
    assertThat(err()).contains("flyball: column `now` is empty: " + file).hasLineCount(1);
    said.reset();

    Files.delete(file);
    Files.createDirectory(file);
    assertThat(states(KEY, KEY)).containsExactly("", "");
    assertThat(err()).contains("flyball: column `now` is empty: " + file).hasLineCount(1);
  }

  @Test
  void whereServersAreNamedTheFolderIsNotAsked() {
    try (CurrentStates now = CurrentStates.nothing()) {
      assertThat(now.of(KEY)).isEmpty();
      now.reportAge();
    }
  }

  private List<String> states(String... keys) {
    var paper = new PrintStream(said, true, StandardCharsets.UTF_8);
    var terminal = new Terminal(paper, paper, false, false, Map.of(), Optional.empty());
    var configuration =
        ConfigurationLoader.load(null, Map.of(), List.of("data=" + data.toAbsolutePath()));
    try (CurrentStates now = CurrentStates.of(configuration, terminal)) {
      List<String> states = List.of(keys).stream().map(now::of).toList();
      now.reportAge();
      return states;
    }
  }

  private String err() {
    return said.toString(StandardCharsets.UTF_8);
  }
}
