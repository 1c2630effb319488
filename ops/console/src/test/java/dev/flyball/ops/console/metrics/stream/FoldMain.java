package dev.flyball.ops.console.metrics.stream;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** The metrics fold as a process, so that it can be killed: ADDRESS PREFIX FOLDER TICK. */
final class FoldMain {
  private FoldMain() {}

  public static void main(String[] args) throws InterruptedException {
    var settings = new KafkaSettings(new Topics(args[1]), Map.of("bootstrap.servers", args[0]));
    var service =
        new MetricsService(
            new KafkaClients(settings, "metrics"), Path.of(args[2]), Duration.parse(args[3]));
    service.start();
    Thread.currentThread().join();
  }
}
