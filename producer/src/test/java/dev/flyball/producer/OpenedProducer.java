package dev.flyball.producer;

import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.source.Source;
import dev.flyball.producer.source.SourceConfig;
import java.time.InstantSource;
import java.util.function.BiFunction;

/** A producer whose sources a test of another package makes. */
public final class OpenedProducer {
  private OpenedProducer() {}

  /** One that polls at its intervals. */
  public static ProducerApp of(
      ProducerConfig config,
      KafkaSettings kafka,
      BiFunction<SourceConfig, InstantSource, Source> opener) {
    return new ProducerApp(config, kafka, new Telemetry(), true, opener);
  }
}
