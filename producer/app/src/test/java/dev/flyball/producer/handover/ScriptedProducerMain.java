package dev.flyball.producer.handover;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.producer.OpenedProducer;
import dev.flyball.producer.ProducerApp;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One producer of one {@link ScriptedTracker}, until standard input ends; stops in order on TERM.
 * Arguments: {@code bootstrap prefix data url who}.
 */
final class ScriptedProducerMain {
  /** The default clocks, 40 times as fast; a request has its share. */
  static final PollClocks CLOCKS =
      new PollClocks(Duration.ofMillis(4_500), Duration.ofSeconds(1), Duration.ofSeconds(1));

  private ScriptedProducerMain() {}

  public static void main(String[] args) throws IOException {
    var source =
        new SourceConfig.Redmine(
            new SourceConfig.Identity("acme", "scripted", Duration.ofMillis(100)),
            SourceRules.DEFAULT,
            URI.create(args[3]),
            null,
            "",
            new Credential.None());
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
    ProducerApp app =
        OpenedProducer.of(config, kafka, (any, clock) -> new ScriptedSource(args[3], args[4]));
    Runtime.getRuntime().addShutdownHook(new Thread(app::stop));
    app.start();
    while (System.in.read() >= 0) {
      // Only the end of the input matters.
    }
    Runtime.getRuntime().halt(0);
  }
}
