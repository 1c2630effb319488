package dev.flyball.triage;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The app in a JVM of its own, to be killed with -9. */
final class TriageProcess implements AutoCloseable {
  /** Items in a batch; small, so that a kill meets several. */
  static final int BATCH = 5;

  private final Process process;
  private final Path ready;

  private TriageProcess(Process process, Path ready) {
    this.process = process;
    this.ready = ready;
  }

  static TriageProcess start(KafkaFixture kafka, Path data) {
    try {
      Path ready = Files.createTempFile(data, "ready", "");
      Files.delete(ready);
      Process process =
          new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-XX:+UseSerialGC",
                      "-XX:TieredStopAtLevel=1",
                      "--enable-native-access=ALL-UNNAMED",
                      "--sun-misc-unsafe-memory-access=allow",
                      "-cp",
                      System.getProperty("java.class.path"),
                      TriageProcess.class.getName(),
                      kafka.bootstrapServers(),
                      kafka.topics().prefix(),
                      data.toString(),
                      ready.toString()))
              .redirectErrorStream(true)
              .redirectOutput(
                  ProcessBuilder.Redirect.appendTo(data.resolve("process.log").toFile()))
              .start();
      return new TriageProcess(process, ready);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  TriageProcess awaitReady() {
    KafkaFixture.await().until(() -> Files.exists(ready));
    return this;
  }

  /** As kill -9 does. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }

  /** Runs until killed. */
  public static void main(String[] args) throws Exception {
    TriageConfig defaults = TriageConfig.defaults(Path.of(args[2]));
    var config =
        new TriageConfig(defaults.data(), BATCH, Duration.ofMillis(200), defaults.machine());
    var kafka = new KafkaSettings(new Topics(args[1]), Map.of("bootstrap.servers", args[0]));
    try (var app = new TriageApp(config, kafka, new Telemetry())) {
      app.start();
      KafkaFixture.await().until(() -> app.health().equals(Health.healthy()));
      Files.createFile(Path.of(args[3]));
      new CountDownLatch(1).await();
    }
  }
}
