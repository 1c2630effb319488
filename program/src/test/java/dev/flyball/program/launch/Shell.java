package dev.flyball.program.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs commands as a user would, in a folder, and keeps what they print. */
public final class Shell {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final Path folder;
  private final Map<String, String> environment = new HashMap<>();

  /** Runs commands in this folder. */
  public Shell(Path folder) {
    this.folder = folder;
  }

  /**
   * What a command printed here, both outputs.
   *
   * @throws IllegalStateException with it, if the command fails
   */
  public static String said(String... command) {
    Outcome outcome = new Shell(Path.of(".")).outcome(command);
    if (outcome.code() != 0) {
      throw new IllegalStateException(String.join(" ", command) + ": " + outcome.output().strip());
    }
    return outcome.output();
  }

  /** How a command ended; both outputs, errors last. */
  public record Outcome(int code, String output) {}

  /** The same with a variable. */
  public Shell with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** What a command printed; it must succeed. */
  public String run(String... command) {
    Outcome outcome = outcome(command);
    assertThat(outcome.code()).as(String.join(" ", command) + ": " + outcome.output()).isZero();
    return outcome.output();
  }

  /** How a command ended. */
  public Outcome outcome(String... command) {
    try {
      Path out = Files.createTempFile("shell", ".out");
      Process process = start(out, List.of(command));
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(
            String.join(" ", command) + " does not end: " + Files.readString(out));
      }
      String text = new String(Files.readAllBytes(out), StandardCharsets.UTF_8);
      Files.delete(out);
      return new Outcome(process.exitValue(), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private Process start(Path out, List<String> command) throws IOException {
    var builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.environment().putAll(environment);
    return builder.start();
  }
}
