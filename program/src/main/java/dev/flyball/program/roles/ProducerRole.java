package dev.flyball.program.roles;

import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.ProducerApp;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.producer.SourceChanges;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.writeback.WriteBackApp;

/**
 * The role {@code producer}: polls trackers, and writes analyses back to the same trackers. Both
 * need the credentials of the sources and share their limits.
 */
public final class ProducerRole implements Service {
  private final ProducerApp producer;
  private final WriteBackApp writeBack;

  /** Nothing is opened before {@link #start}. */
  public ProducerRole(ProducerConfig config, KafkaSettings kafka, Telemetry telemetry) {
    var limits = new TrackerLimits();
    this.producer = new ProducerApp(config, kafka, telemetry, limits);
    this.writeBack =
        new WriteBackApp(
            config.data().resolve("write-back"), config.sources(), kafka, telemetry, limits);
  }

  @Override
  public void start() {
    producer.start();
    writeBack.start();
  }

  /**
   * Applies another configuration from now on. Everything that may fail is opened first: a failure
   * leaves everything as it was.
   *
   * @throws RuntimeException if a source or its write-back cannot be opened
   */
  SourceChanges reconfigure(ProducerConfig next) {
    Runnable prepared = writeBack.prepare(next.sources());
    SourceChanges changes = producer.reconfigure(next);
    prepared.run();
    return changes;
  }

  /** Write-back ends first: its trackers are still polled while a delivery is finished. */
  @Override
  public void stop() {
    producer.cease();
    writeBack.stop();
    producer.stop();
  }

  @Override
  public Health health() {
    return producer.health().and(writeBack.health());
  }
}
