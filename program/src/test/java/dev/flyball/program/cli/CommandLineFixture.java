package dev.flyball.program.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.terminal.Terminal;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs commands in this process and keeps what they print. */
public final class CommandLineFixture {
  private CommandLineFixture() {}

  /** How a command ended and what it printed. */
  public record Answer(int code, String out, String err) {
    /** The one line of JSON that it printed. */
    public JsonNode json() {
      return RecordJson.parse(out.strip());
    }
  }

  /** Runs a command as in this folder: a process for each would take a core for a while. */
  public static Answer in(Path folder, String... words) {
    Stream<String> place =
        Stream.of(
            "--config",
            folder.resolve("flyball.yaml").toString(),
            "--data",
            folder.resolve(".flyball").toString());
    return flyball(
        Map.of("FLYBALL_TOPICS_REPLICATION", "1"),
        Stream.concat(Stream.of(words), place).toArray(String[]::new));
  }

  static Answer flyball(String... arguments) {
    return flyball(Map.of(), arguments);
  }

  static Answer flyball(Map<String, String> environment, String... arguments) {
    return flyball(Optional.empty(), environment, arguments);
  }

  /** As a person at a terminal who says this when asked. */
  static Answer asked(String says, String... arguments) {
    return asked(Map.of(), says, arguments);
  }

  /** The same with these environment variables. */
  static Answer asked(Map<String, String> environment, String says, String... arguments) {
    return flyball(Optional.of(new BufferedReader(new StringReader(says))), environment, arguments);
  }

  private static Answer flyball(
      Optional<BufferedReader> in, Map<String, String> environment, String... arguments) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    Terminal terminal = terminal(out, err, environment, in);
    int code = Flyball.execute(terminal, arguments);
    return new Answer(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /** Whose output is lost. */
  static Terminal terminal() {
    return terminal(
        new ByteArrayOutputStream(), new ByteArrayOutputStream(), Map.of(), Optional.empty());
  }

  private static Terminal terminal(
      OutputStream out,
      OutputStream err,
      Map<String, String> environment,
      Optional<BufferedReader> in) {
    return new Terminal(
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        false,
        false,
        environment,
        in);
  }
}
