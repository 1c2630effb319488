package dev.flyball.producer.redmine;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.ProducerApp;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.WriteBack;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One producer of one Redmine, with all clocks scaled, until standard input ends. Arguments: {@code
 * bootstrap prefix data url project token}.
 */
final class RedmineProducerMain {
  /** The default clocks, 36 times as fast. */
  static final PollClocks CLOCKS =
      new PollClocks(Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofMillis(2_500));

  private static final SourceRules RULES =
      new SourceRules(List.of(), Set.of(), false, null, Duration.ofSeconds(2), new WriteBack.Off());

  static final String TENANT = "acme";
  static final String SOURCE = "tracker";

  private RedmineProducerMain() {}

  public static void main(String[] args) throws IOException {
    var identity = new SourceConfig.Identity(TENANT, SOURCE, Duration.ofSeconds(1));
    var source =
        new SourceConfig.Redmine(
            identity,
            RULES,
            URI.create(args[3]),
            args[4],
            "",
            new Credential.InFile(Path.of(args[5])));
    var usual = ProducerConfig.defaults(Path.of(args[2]), List.of(source));
    var config =
        new ProducerConfig(
            usual.data(),
            usual.sources(),
            CLOCKS,
            usual.breaker(),
            usual.textLimit(),
            usual.fingerprintFields());
    var kafka = new KafkaSettings(new Topics(args[1]), Map.of("bootstrap.servers", args[0]));
    var app = new ProducerApp(config, kafka, new Telemetry());
    app.start();
    while (System.in.read() >= 0) {
      // Only the end of the input matters.
    }
    Runtime.getRuntime().halt(0);
  }
}
