package dev.flyball.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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

  /** Waits until its admin address answers that it can work. */
  void awaitHealthy(Duration limit) throws IOException {
    awaitReady();
    String ready =
        Files.readString(log)
            .lines()
            .filter(line -> line.startsWith("ready "))
            .findFirst()
            .orElse("");
    URI address = URI.create(ready.replaceAll("(?s).*admin=(\\S+).*", "$1") + "/readyz");
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(address).build();
      Awaitility.await()
          .atMost(limit)
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200);
    }
  }

  /** The console's address, once it is ready. */
  URI console() throws IOException {
    return URI.create(Files.readString(log).replaceAll("(?s).*ready console=(\\S+).*", "$1"));
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
