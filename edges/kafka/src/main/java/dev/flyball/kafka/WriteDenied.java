package dev.flyball.kafka;

/**
 * Kafka lets this login read and not write. The broker that {@code up} embeds does so without its
 * secret.
 */
public final class WriteDenied extends KafkaFailure {
  private static final long serialVersionUID = 1L;

  WriteDenied(String bootstrapServers, String topic) {
    super(
        "Kafka at "
            + bootstrapServers
            + " does not let us write to "
            + topic
            + "; if it is that of an `up` on this machine, name its data folder (--data DIR for a"
            + " command, --set broker.data=DIR for a role), else set kafka.security.protocol and"
            + " kafka.sasl.* to a user that may write");
  }
}
