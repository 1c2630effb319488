package dev.flyball.containment;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The path and version of a program.
 *
 * @param file the file that PATH leads to
 * @param version the first line that {@code --version} prints; empty if there was none within 15 s
 */
public record ProgramVersion(Path file, Optional<String> version) {
  private static final Duration LIMIT = Duration.ofSeconds(15);
  private static final int LONGEST = 200;

  /** Finds a program; empty if PATH leads to no executable file of that name. */
  public static Optional<ProgramVersion> of(String program, Map<String, String> environment) {
    return Launch.onPath(program, environment.getOrDefault("PATH", ""))
        .filter(Files::isExecutable)
        .findFirst()
        .map(file -> new ProgramVersion(file, askVersion(file, environment)));
  }

  private static Optional<String> askVersion(Path file, Map<String, String> environment) {
    try {
      return run(file, environment);
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static Optional<String> run(Path file, Map<String, String> environment)
      throws IOException, InterruptedException {
    // A file, not a pipe: processes that the program leaves behind cannot hold this call up.
    Path output = Files.createTempFile("flyball-version", ".txt");
    var builder =
        new ProcessBuilder(List.of(file.toString(), "--version"))
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(output.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      Files.delete(output);
      throw e;
    }
    // Deleted when it is open at both ends: a process that is killed meanwhile leaves no file.
    try (var printed = Files.newInputStream(output, StandardOpenOption.DELETE_ON_CLOSE)) {
      if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        return Optional.empty();
      }
      return process.exitValue() == 0 ? firstLine(printed.readNBytes(LONGEST)) : Optional.empty();
    }
  }

  private static Optional<String> firstLine(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.replaceAll("[^ -~]", "?").strip())
        .filter(line -> !line.isEmpty())
        .findFirst();
  }
}
