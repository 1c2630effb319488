package dev.flyball.producer;

import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import java.time.InstantSource;
import java.util.function.BiFunction;

/** Producers whose sources are made by a test of another package. */
public final class OpenedProducer {
  private OpenedProducer() {}

  /** A producer that polls at its intervals. */
  public static ProducerApp of(
      ProducerConfig config,
      KafkaSettings kafka,
      BiFunction<SourceConfig, InstantSource, Source> opener) {
    return new ProducerApp(config, kafka, new Telemetry(), true, opener);
  }
}
