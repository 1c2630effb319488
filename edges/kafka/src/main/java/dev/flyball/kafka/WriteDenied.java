package dev.flyball.kafka;

/**
 * Kafka does not let this login do what a role needs. The broker that {@code up} embeds lets logins
 * without its secret only read.
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
            + " kafka.sasl.* to a user that may write (`./flyball topics --print-acls`)");
  }

  private WriteDenied(String line) {
    super(line);
  }

  /** The settings of topics cannot be read, so they may be wrong. */
  static WriteDenied settings(String bootstrapServers) {
    return new WriteDenied(
        "Kafka at "
            + bootstrapServers
            + " does not let us read the settings of our topics; give this login the rights that"
            + " `./flyball topics --print-acls` prints");
  }
}
