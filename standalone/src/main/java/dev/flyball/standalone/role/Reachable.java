package dev.flyball.standalone.role;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.standalone.config.AppConfigurations;
import dev.flyball.standalone.config.Configuration;
import dev.flyball.standalone.config.Keys;
import java.io.IOException;
import java.net.Socket;
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
   * folder is named, whoever listens where {@code up} would is asked.
   */
  public static Optional<KafkaClients> clients(Configuration configuration, String purpose) {
    Configuration reachable = configuration;
    if (configuration.bootstrapServers().isEmpty()) {
      Optional<String> servers = KafkaAddress.of(configuration.path(Keys.DATA));
      // Who names a data folder means its service and no other one: a cap meant for one that is
      // stopped was set on one that ran.
      if (servers.isEmpty() && configuration.origin(Keys.DATA).equals("default")) {
        servers = listening(configuration);
      }
      if (servers.isEmpty()) {
        return Optional.empty();
      }
      reachable = configuration.withBootstrapServers(servers.get(), "data folder or broker.listen");
    }
    return Optional.of(new KafkaClients(new AppConfigurations(reachable).kafka(purpose), purpose));
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
