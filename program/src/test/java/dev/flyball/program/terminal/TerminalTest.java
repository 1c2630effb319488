package dev.flyball.program.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A question to a person. */
final class TerminalTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @ParameterizedTest
  @ValueSource(strings = {"y\n", "Y\n", " yes \n", "YES"})
  void aYesIsAYes(String answer) {
    assertThat(terminal(answer).confirm("Start?")).contains(true);
    assertThat(said.toString(StandardCharsets.UTF_8)).isEqualTo("Start? [y/N] ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "n\n", "yes please\n", "yy\n"})
  void everythingElseIsANo(String answer) {
    assertThat(terminal(answer).confirm("Start?")).contains(false);
  }

  @Test
  void withoutATerminalNothingIsAsked() {
    var err = new PrintStream(said, true, StandardCharsets.UTF_8);
    var alone = new Terminal(err, err, false, false, Map.of(), Optional.empty());

    assertThat(alone.confirm("Start?")).isEmpty();
    assertThat(said.size()).isZero();
  }

  private Terminal terminal(String answer) {
    var err = new PrintStream(said, true, StandardCharsets.UTF_8);
    return new Terminal(
        err, err, false, true, Map.of(), Optional.of(new BufferedReader(new StringReader(answer))));
  }
}
