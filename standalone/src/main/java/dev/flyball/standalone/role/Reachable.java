package dev.flyball.standalone.role;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.standalone.config.AppConfigurations;
import dev.flyball.standalone.config.Configuration;
import dev.flyball.standalone.config.ConfigurationError;
import dev.flyball.standalone.config.Keys;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the Kafka that a looking command may ask: the configured one, or that of an {@code up} or
 * {@code run} on the data folder.
 */
public final class Reachable {
  private static final int CONNECT_MS = 500;

  private Reachable() {}

  /**
   * Clients of it; empty if none is configured and no service lives on the data folder. Where no
   * folder is configured, a service that listens where {@code up} would is used.
   */
  public static Optional<KafkaClients> clients(Configuration configuration, String purpose) {
    return forCommand(configuration)
        .map(it -> new KafkaClients(new AppConfigurations(it).kafka(purpose), purpose));
  }

  /**
   * The configuration of a role that runs by itself: with the secret of the {@code up} that {@code
   * broker.data} names, also while that is down.
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
                        configuration.origin(Keys.BROKER_DATA)
                            + ": broker.data: "
                            + home
                            + " holds no embedded Kafka that this user may write to; name the data"
                            + " folder of an `up` of the same user")));
    refuseOthers(configuration, home, secret);
    return configuration.onEmbedded(secret, "broker.data");
  }

  /** Either would be used silently instead of the other. */
  private static void refuseOthers(
      Configuration configuration, Path home, Map<String, String> secret) {
    List<String> others =
        configuration.servers().stream()
            .filter(row ->
                !row.value().equals(secret.get("bootstrap.servers"))
                    && !KafkaAddress.wasLast(home, row.value()))
            .map(row ->
                row.source()
                    + ": "
                    + row.key()
                    + ": "
                    + row.value()
                    + " is not the Kafka of broker.data "
                    + home
                    + " ("
                    + configuration.origin(Keys.BROKER_DATA)
                    + "); remove one of the two")
            .toList();
    if (!others.isEmpty()) {
      throw new ConfigurationError(others);
    }
  }

  private static Optional<Configuration> forCommand(Configuration configuration) {
    Path home =
        configuration.path(configuration.isSet(Keys.BROKER_DATA) ? Keys.BROKER_DATA : Keys.DATA);
    if (configuration.bootstrapServers().isPresent()) {
      return Optional.of(withSecret(configuration, home));
    }
    Optional<KafkaAddress.Known> known = KafkaAddress.of(home);
    if (known.isPresent()) {
      return Optional.of(known.get().over(configuration, home));
    }
    // Who names a data folder means its service and no other one: a cap meant for one that is
    // stopped was set on one that ran.
    return configuration.origin(Keys.DATA).equals("default")
            && !configuration.isSet(Keys.BROKER_DATA)
        ? listening(configuration)
            .map(servers ->
                configuration.onEmbedded(Map.of("bootstrap.servers", servers), "broker.listen"))
        : Optional.empty();
  }

  /** The configured servers may be those of the folder's own service. */
  private static Configuration withSecret(Configuration configuration, Path home) {
    return KafkaAddress.of(home)
        .filter(KafkaAddress.Known::embedded)
        .filter(
            known -> configuration.bootstrapServers().filter(known.servers()::equals).isPresent())
        .map(known -> known.over(configuration, home))
        .orElse(configuration);
  }

  private static Optional<String> listening(Configuration configuration) {
    ListenAddress listen = configuration.get(Keys.BROKER_LISTEN);
    return listen.port() == 0 || !listens(listen)
        ? Optional.empty()
        : Optional.of(listen.toString());
  }

  private static boolean listens(ListenAddress address) {
    try (var socket = new Socket()) {
      socket.connect(address.socket(), CONNECT_MS);
      return true;
    } catch (IOException nobody) {
      return false;
    }
  }
}
