package dev.flyball.program.roles;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.broker.EmbeddedBroker;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The embedded Kafka of a data folder whose {@code up} or {@code run} has ended, started for one
 * command that reads what only its topics hold. No other process starts it meanwhile.
 */
public final class StoppedKafka implements AutoCloseable {
  private final DataLock lock;
  private final EmbeddedBroker broker;
  private final Configuration configuration;

  private StoppedKafka(DataLock lock, Path home, Configuration configuration) {
    this.lock = lock;
    this.broker = EmbeddedBroker.start(BrokerConfig.in(KafkaAddress.broker(home)));
    this.configuration = configuration.onEmbedded(broker.clientProperties(), "data folder");
  }

  /**
   * Starts it; empty if the folder holds none. The folder is the one whose running Kafka commands
   * use.
   *
   * @throws StartFailure if another process uses the folder, or it cannot be written
   */
  public static Optional<StoppedKafka> start(Configuration configuration) {
    Path home = KafkaFinder.home(configuration);
    if (!Files.isDirectory(KafkaAddress.broker(home))) {
      return Optional.empty();
    }
    DataLock lock =
        DataLock.tryTake(home)
            .orElseThrow(() ->
                new StartFailure(
                    "Kafka of data folder "
                        + home
                        + " does not answer: another flyball uses the folder; try again when that"
                        + " one has started or ended, or name a running Kafka with"
                        + " --bootstrap-servers"));
    return Optional.of(started(lock, home, configuration));
  }

  private static StoppedKafka started(DataLock lock, Path home, Configuration configuration) {
    try {
      return new StoppedKafka(lock, home, configuration);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /** Its clients. */
  public KafkaClients clients(String purpose) {
    return new KafkaClients(new AppConfigurations(configuration).kafka(purpose), purpose);
  }

  @Override
  public void close() {
    broker.close();
    lock.close();
  }
}
