package dev.flyball.kafka;

/** Kafka's client rejects the configured properties, so no broker was asked. */
public final class WrongProperties extends KafkaFailure {
  private static final long serialVersionUID = 1L;

  WrongProperties(Throwable cause) {
    super("Kafka's client cannot be created: " + CauseLine.of(cause) + "; correct kafka.*", cause);
  }
}
