package dev.flyball.kafka;

import org.apache.kafka.common.errors.SslAuthenticationException;

/**
 * Kafka answers and does not accept the configured login, or the two do not trust each other.
 * Waiting does not help: its answer stays the same.
 */
public final class LoginDenied extends KafkaFailure {
  private static final long serialVersionUID = 1L;

  LoginDenied(String bootstrapServers, Throwable cause) {
    super(line(bootstrapServers, cause), cause);
  }

  private static String line(String bootstrapServers, Throwable cause) {
    return cause instanceof SslAuthenticationException
        ? "TLS with Kafka at "
            + bootstrapServers
            + " fails ("
            + CauseLine.of(cause)
            + "); set kafka.ssl.truststore.* to the certificate that signed the broker's, and"
            + " kafka.ssl.keystore.* to ours if the broker asks for one"
        : "Kafka at "
            + bootstrapServers
            + " does not accept our login ("
            + CauseLine.of(cause)
            + "); correct kafka.security.protocol, kafka.sasl.* or kafka.ssl.*, or for a role"
            + " beside an `up` on this machine, set broker.data to its data folder";
  }
}
