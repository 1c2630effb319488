package dev.flyball.containment;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

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
    return Stream.of(environment.getOrDefault("PATH", "").split(":"))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, program))
        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst()
        .map(file -> new ProgramVersion(file, askVersion(file, environment)));
  }

  private static Optional<String> askVersion(Path file, Map<String, String> environment) {
    try {
      Path output = Files.createTempFile("flyball-version", ".txt");
      try {
        return run(file, environment, output) ? firstLine(output) : Optional.empty();
      } finally {
        Files.deleteIfExists(output);
      }
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static boolean run(Path file, Map<String, String> environment, Path output)
      throws IOException, InterruptedException {
    // A file, not a pipe: processes that the program leaves behind cannot hold this call up.
    var builder =
        new ProcessBuilder(List.of(file.toString(), "--version"))
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(output.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      return false;
    }
    return process.exitValue() == 0;
  }

  private static Optional<String> firstLine(Path output) throws IOException {
    byte[] bytes;
    try (var in = Files.newInputStream(output)) {
      bytes = in.readNBytes(LONGEST);
    }
    return new String(bytes, StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.replaceAll("[^ -~]", "?").strip())
        .filter(line -> !line.isEmpty())
        .findFirst();
  }
}
