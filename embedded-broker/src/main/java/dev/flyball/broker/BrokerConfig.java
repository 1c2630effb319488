package dev.flyball.broker;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * How one embedded broker runs.
 *
 * @param directory where its logs live; made when missing, and used by one broker at a time
 * @param host what clients connect to; also what it listens on unless {@code overrides} say
 *     otherwise
 * @param port 0 for any free one
 * @param overrides Kafka's own broker properties, which win over ours
 * @param onFatal told one line, from any thread, when Kafka would have ended the JVM; the broker is
 *     of no use afterwards
 */
public record BrokerConfig(
    Path directory,
    String host,
    int port,
    Map<String, String> overrides,
    Consumer<String> onFatal) {
  /** Reachable from this machine only. */
  public static final String LOOPBACK = "127.0.0.1";

  public BrokerConfig {
    directory = directory.toAbsolutePath().normalize();
    overrides = Map.copyOf(overrides);
    if (host.isBlank()) {
      throw new IllegalArgumentException("broker host is empty, for example " + LOOPBACK);
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("broker port " + port + " is not within 0..65535");
    }
  }

  /** On any free port of the loopback address. */
  public static BrokerConfig in(Path directory) {
    return new BrokerConfig(directory, LOOPBACK, 0, Map.of(), reason -> {});
  }

  /** This configuration at another address. */
  public BrokerConfig at(String newHost, int newPort) {
    return new BrokerConfig(directory, newHost, newPort, overrides, onFatal);
  }

  /** This configuration with a listener for fatal faults. */
  public BrokerConfig telling(Consumer<String> listener) {
    return new BrokerConfig(directory, host, port, overrides, listener);
  }

  /** This configuration with other broker properties. */
  public BrokerConfig overriding(Map<String, String> properties) {
    return new BrokerConfig(directory, host, port, properties, onFatal);
  }
}
