package dev.flyball.program.roles;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfigurationError.Problem;
import dev.flyball.program.config.Keys;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the Kafka for a command: the configured one, or that of an {@code up} or {@code run} on the
 * data folder.
 */
public final class KafkaFinder {
  /** Commands have their own Kafka properties, as roles have. */
  private static final String OPERATOR = "operator";

  private KafkaFinder() {}

  /** Clients of that Kafka; empty if none is configured and no service runs on the data folder. */
  public static Optional<KafkaClients> clients(Configuration configuration, String purpose) {
    return forCommand(configuration)
        .map(it -> new KafkaClients(new AppConfigurations(it).kafka(OPERATOR), purpose));
  }

  /**
   * The configuration of a role in a separate process: with the secret of the {@code up} that
   * {@code broker.data} names, also while that service is stopped.
   *
   * @throws ConfigurationError if there never was one, or if other servers are configured, too
   */
  public static Configuration forRole(Configuration configuration) {
    if (configuration.find(Keys.BROKER_DATA).isEmpty()) {
      return withSecret(configuration, configuration.path(Keys.DATA));
    }
    Path home = configuration.path(Keys.BROKER_DATA);
    Map<String, String> secret =
        KafkaAddress.secret(home)
            .orElseThrow(() ->
                new ConfigurationError(
                    List.of(
                        new Problem(
                            configuration.origin(Keys.BROKER_DATA),
                            Keys.BROKER_DATA.name(),
                            "broker.data: "
                                + home
                                + " holds no embedded Kafka that this user may write to; name the"
                                + " data folder of an `up` of the same user"))));
    refuseOthers(configuration, home, secret);
    return configuration.onEmbedded(secret, "broker.data");
  }

  /** Rejects other configured servers: one of the two would be ignored silently. */
  private static void refuseOthers(
      Configuration configuration, Path home, Map<String, String> secret) {
    List<Problem> others =
        configuration.servers().stream()
            .filter(row ->
                !row.value().equals(secret.get("bootstrap.servers"))
                    && !KafkaAddress.wasLast(home, row.value()))
            .map(row ->
                new Problem(
                    row.source(),
                    row.key(),
                    row.key()
                        + ": "
                        + row.value()
                        + " is not the Kafka of broker.data "
                        + home
                        + " ("
                        + configuration.origin(Keys.BROKER_DATA)
                        + "); remove one of the two"))
            .toList();
    if (!others.isEmpty()) {
      throw new ConfigurationError(others);
    }
  }

  private static Optional<Configuration> forCommand(Configuration configuration) {
    Path home =
        configuration.path(configuration.isSet(Keys.BROKER_DATA) ? Keys.BROKER_DATA : Keys.DATA);
    return configuration.bootstrapServers().isPresent()
        ? Optional.of(withSecret(configuration, home))
        : KafkaAddress.of(home).map(known -> known.over(configuration, home));
  }

  /** Adds the secret if the configured servers are those of the folder's own service. */
  private static Configuration withSecret(Configuration configuration, Path home) {
    return KafkaAddress.of(home)
        .filter(KafkaAddress.Known::embedded)
        .filter(
            known -> configuration.bootstrapServers().filter(known.servers()::equals).isPresent())
        .map(known -> known.over(configuration, home))
        .orElse(configuration);
  }
}
