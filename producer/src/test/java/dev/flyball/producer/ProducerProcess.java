package dev.flyball.producer;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/** A producer in a separate JVM, which a test can end in every way and start again. */
public final class ProducerProcess implements AutoCloseable {
  private final String main;
  private final Path folder;
  private final List<String> arguments;
  private Process process;

  /**
   * Starts the producer.
   *
   * @param main calls {@link #live} with its arguments
   * @param folder its data and log; the folder's name is its name
   * @param more what only the main class knows; its arguments from the fourth on
   */
  public ProducerProcess(Class<?> main, Path folder, KafkaClients kafka, List<String> more) {
    this.main = main.getName();
    this.folder = folder;
    this.arguments =
        new ArrayList<>(
            List.of(kafka.bootstrapServers(), kafka.topics().prefix(), folder.toString()));
    arguments.addAll(more);
    this.process = launch();
  }

  /** In the separate JVM: polls this source until standard input ends; stops in order on TERM. */
  public static void live(
      String[] args,
      SourceConfig source,
      PollClocks clocks,
      BiFunction<SourceConfig, InstantSource, Source> opener)
      throws IOException {
    var usual = ProducerConfig.defaults(Path.of(args[2]), List.of(source));
    var config =
        new ProducerConfig(
            usual.data(),
            usual.sources(),
            clocks,
            usual.breaker(),
            usual.backlog(),
            usual.textLimit(),
            usual.fingerprintFields());
    var kafka = new KafkaSettings(new Topics(args[1]), Map.of("bootstrap.servers", args[0]));
    var app = new ProducerApp(config, kafka, new Telemetry(), true, opener);
    Runtime.getRuntime().addShutdownHook(new Thread(app::stop));
    app.start();
    while (System.in.read() >= 0) {
      // Only the end of the input matters.
    }
    Runtime.getRuntime().halt(0);
  }

  /** The name of its folder. */
  public String who() {
    return folder.getFileName().toString();
  }

  /** Sends SIGKILL; returns once the process has exited. */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Sends SIGTERM; returns once the process has exited. */
  public void terminate() {
    process.destroy();
    awaitEnd();
  }

  /** Starts the producer again. */
  public void restart() {
    process = launch();
  }

  /** Sends SIGSTOP. */
  public void freeze() {
    signal("-STOP");
  }

  /** Sends SIGCONT. */
  public void thaw() {
    signal("-CONT");
  }

  @Override
  public void close() {
    kill();
  }

  private void awaitEnd() {
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        throw new AssertionError(who() + " does not end, see " + folder);
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
                  main));
      command.addAll(arguments);
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("producer.log").toFile()))
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + who(), e);
    }
  }
}
