package dev.flyball.broker;

import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The configuration of one embedded broker.
 *
 * @param directory where its logs are; created when missing, and used by one broker at a time
 * @param host the address that clients connect to; the broker also listens on it
 * @param port 0 for any free one
 * @param open whether every client may write; otherwise only one that has the broker's {@link
 *     BrokerSecret} may, and the others read topics
 * @param onFatal receives one line, on any thread, when Kafka would have ended the JVM; the broker
 *     is unusable afterwards
 */
public record BrokerConfig(
    Path directory, String host, int port, boolean open, Consumer<String> onFatal) {
  /**
   * Below this free space Kafka fails while it maps its indexes, and a failing map can end the JVM:
   * the broker does not start.
   */
  public static final long MIN_FREE_BYTES = 64L << 20;

  /** Reachable from this machine only. */
  public static final String LOOPBACK = "127.0.0.1";

  public BrokerConfig {
    directory = directory.toAbsolutePath().normalize();
    if (host.isBlank()) {
      throw new IllegalArgumentException("broker host is empty, for example " + LOOPBACK);
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("broker port " + port + " is not within 0..65535");
    }
  }

  /** On any free port of the loopback address; clients need the secret to write. */
  public static BrokerConfig in(Path directory) {
    return new BrokerConfig(directory, LOOPBACK, 0, false, reason -> {});
  }

  /** This configuration at another address. */
  public BrokerConfig at(String newHost, int newPort) {
    return new BrokerConfig(directory, newHost, newPort, open, onFatal);
  }

  /** This configuration without a secret: every client may write. For tests. */
  public BrokerConfig opened() {
    return new BrokerConfig(directory, host, port, true, onFatal);
  }

  /** This configuration with a listener for fatal faults. */
  public BrokerConfig reportingFaultsTo(Consumer<String> listener) {
    return new BrokerConfig(directory, host, port, open, listener);
  }
}
