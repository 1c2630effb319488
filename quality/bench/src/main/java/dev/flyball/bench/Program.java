package dev.flyball.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * The program as its users start it; {@code ./flyball} becomes the JVM, so the process is the JVM.
 */
final class Program implements AutoCloseable {
  private final Process process;
  private final Path log;

  Program(Bench.Place place, String... arguments) throws IOException {
    var command = new ArrayList<>(List.of(place.flyball().toString()));
    command.addAll(List.of(arguments));
    log = Files.createTempFile(place.folder(), "program", ".log");
    process =
        new ProcessBuilder(command)
            .directory(place.folder().toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    process.getOutputStream().close();
  }

  long pid() {
    return process.pid();
  }

  boolean alive() {
    return process.isAlive();
  }

  int exitValue() {
    return process.exitValue();
  }

  /** Waits for the line that says that it is ready. */
  void awaitReady() {
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(100))
        .until(() ->
            Files.readString(log).lines().anyMatch(line -> line.startsWith("ready ")) || !alive());
    if (!alive()) {
      throw new AssertionError("it ended: " + tail());
    }
  }

  String tail() {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join(" | ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }
}
