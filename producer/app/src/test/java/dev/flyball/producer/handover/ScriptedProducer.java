package dev.flyball.producer.handover;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link ScriptedProducerMain} in a separate JVM, which a test can end in every way. */
final class ScriptedProducer implements AutoCloseable {
  final String who;
  private final Path folder;
  private final List<String> arguments;
  private Process process;

  ScriptedProducer(Path folder, String who, List<String> place) {
    this.folder = folder;
    this.who = who;
    this.arguments = List.of(place.get(0), place.get(1), folder.toString(), place.get(2), who);
    this.process = launch();
  }

  /** Sends SIGKILL and starts the producer again. */
  void kill() {
    process.destroyForcibly();
    awaitEnd();
    restart();
  }

  /** Sends SIGTERM; returns once the process has exited. */
  void terminate() {
    process.destroy();
    awaitEnd();
  }

  /** Starts the producer again. */
  void restart() {
    process = launch();
  }

  /** Sends SIGSTOP. */
  void freeze() {
    signal("-STOP");
  }

  /** Sends SIGCONT. */
  void thaw() {
    signal("-CONT");
  }

  @Override
  public void close() {
    process.destroyForcibly();
    awaitEnd();
  }

  private void awaitEnd() {
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        throw new AssertionError(who + " does not end, see " + folder);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void signal(String signal) {
    try {
      new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Process launch() {
    try {
      Files.createDirectories(folder);
      var command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx128m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "--enable-native-access=ALL-UNNAMED",
                  "--sun-misc-unsafe-memory-access=allow",
                  "-cp",
                  System.getProperty("java.class.path"),
                  ScriptedProducerMain.class.getName()));
      command.addAll(arguments);
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("producer.log").toFile()))
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + who, e);
    }
  }
}
