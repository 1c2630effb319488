package dev.flyball.kafka;

/** Kafka is not as an app needs it. The message is one line for a person: what, where, the mend. */
public abstract sealed class KafkaFailure extends RuntimeException
    permits BrokerUnreachable, WrongTopic, LedgerUnusable, WriteDenied {
  private static final long serialVersionUID = 1L;

  KafkaFailure(String line) {
    super(line);
  }

  KafkaFailure(String line, Throwable cause) {
    super(line, cause);
  }
}
