package dev.flyball.kafka;

/**
 * Kafka answers and does not accept the configured login. Waiting does not help: its answer stays
 * the same.
 */
public final class LoginDenied extends KafkaFailure {
  private static final long serialVersionUID = 1L;

  LoginDenied(String bootstrapServers, Throwable cause) {
    super(
        "Kafka at "
            + bootstrapServers
            + " does not accept our login ("
            + CauseLine.of(cause)
            + "); correct kafka.security.protocol, kafka.sasl.* or kafka.ssl.*, or for a role"
            + " beside an `up` on this machine, set broker.data to its data folder",
        cause);
  }
}
