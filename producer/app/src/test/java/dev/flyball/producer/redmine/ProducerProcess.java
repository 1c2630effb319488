package dev.flyball.producer.redmine;

import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.RedmineServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link RedmineProducerMain} in a separate JVM, to be killed and started again. */
final class ProducerProcess implements AutoCloseable {
  private final List<String> arguments;
  private final Path folder;
  private Process process;

  ProducerProcess(Path folder, KafkaFixture kafka, RedmineServer redmine, Path token) {
    this.folder = folder;
    this.arguments =
        List.of(
            kafka.bootstrapServers(),
            kafka.topics().prefix(),
            folder.toString(),
            redmine.url(),
            RedmineServer.PROJECT,
            token.toString());
    this.process = launch();
  }

  /** Its name in poll-state; empty before it has one. */
  String owner() {
    try {
      Path file = folder.resolve("producer-id");
      return Files.exists(file) ? Files.readString(file).strip() : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean lives() {
    return process.isAlive();
  }

  /** Sends SIGKILL; returns once the process has exited. */
  void kill() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        throw new AssertionError("producer process " + process.pid() + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void restart() {
    process = launch();
  }

  @Override
  public void close() {
    kill();
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
                  RedmineProducerMain.class.getName()));
      command.addAll(arguments);
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("producer.log").toFile()))
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start a producer process", e);
    }
  }
}
