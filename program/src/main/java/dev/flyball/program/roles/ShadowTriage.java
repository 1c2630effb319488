package dev.flyball.program.roles;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.classifier.OwnedCall;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import dev.flyball.triage.TriageConfig;
import dev.flyball.triage.classify.RulesClassifier;
import dev.flyball.triage.classify.ShadowComparison;
import dev.flyball.triage.classify.ShadowRun;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * Has the newest snapshots of items judged by the classifier of another configuration. Kafka and
 * the data folder are those of this one; classifier, batches and, until the ledger has one, the
 * daily budget are the other's.
 */
public final class ShadowTriage {
  private ShadowTriage() {}

  /**
   * Judges and compares.
   *
   * @param clients of the Kafka whose items are read
   * @param own the configuration of that Kafka's services
   * @param tried the configuration that is tried
   * @param since items that changed from this time on
   * @return empty if a signal ended it
   * @throws StartFailure with one line if it cannot begin or go on
   */
  public static Optional<ShadowComparison> run(
      KafkaClients clients, Configuration own, Configuration tried, Instant since) {
    var other = new AppConfigurations(tried);
    Path calls = own.get(Keys.DATA).resolve("shadow");
    Signals signals = Signals.caught();
    Optional<OwnedCall> call = AppFactory.call(other, calls);
    Optional<DataLock> lock = call.map(_ -> DataLock.take(calls));
    try {
      call.ifPresent(OwnedCall::open);
      var _ = signals.first().thenRun(() -> call.ifPresent(OwnedCall::cease));
      TriageConfig triage = other.triage();
      var settings = new ShadowRun.Settings(since, triage.batchItems(), TriageConfig.BATCH_BYTES);
      return Optional.of(
          new ShadowRun(
                  clients,
                  call.map(it -> AppFactory.model(other, it, clients))
                      .orElseGet(RulesClassifier::new),
                  settings,
                  () -> !signals.came())
              .run());
    } catch (StartFailure e) {
      if (signals.came()) {
        return Optional.empty();
      }
      throw e;
    } finally {
      call.ifPresent(OwnedCall::close);
      lock.ifPresent(DataLock::close);
    }
  }
}
