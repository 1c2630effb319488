package dev.flyball.kafka;

import java.time.Duration;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;

/**
 * Kafka is not as an app needs it. The message is one line for a person: the problem, the place and
 * the fix.
 */
public abstract sealed class KafkaFailure extends RuntimeException
    permits BrokerUnreachable,
        WrongTopic,
        LedgerUnusable,
        LoginDenied,
        WriteDenied,
        WrongProperties {
  private static final long serialVersionUID = 1L;

  /** Most nested causes that are searched. */
  private static final int DEEPEST = 20;

  KafkaFailure(String line) {
    super(line);
  }

  KafkaFailure(String line, Throwable cause) {
    super(line, cause);
  }

  /**
   * Classifies the failure of a call. A broker that denies has answered: waiting helps only for one
   * that is unreachable.
   *
   * @param purpose the topic or purpose of a denied write
   */
  static KafkaFailure of(
      String bootstrapServers, String purpose, Duration limit, Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      switch (cause) {
        case AuthenticationException login -> {
          return new LoginDenied(bootstrapServers, login);
        }
        case AuthorizationException _ -> {
          return new WriteDenied(bootstrapServers, purpose);
        }
        default -> cause = cause.getCause();
      }
    }
    return new BrokerUnreachable(bootstrapServers, limit, failure);
  }
}
