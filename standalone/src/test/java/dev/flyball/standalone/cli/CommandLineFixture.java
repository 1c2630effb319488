package dev.flyball.standalone.cli;

import dev.flyball.standalone.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Runs commands in this process and keeps what they print. */
final class CommandLineFixture {
  private CommandLineFixture() {}

  record Answer(int code, String out, String err) {}

  static Answer flyball(String... arguments) {
    return flyball(Map.of(), arguments);
  }

  static Answer flyball(Map<String, String> environment, String... arguments) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var terminal =
        new Terminal(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false,
            environment);
    int code = Flyball.execute(terminal, arguments);
    return new Answer(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
