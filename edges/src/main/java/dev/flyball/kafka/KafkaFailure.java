package dev.flyball.kafka;

import dev.flyball.contract.text.OneLine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.jspecify.annotations.Nullable;

/**
 * Kafka is not as an app needs it. The message is one line for a person: the problem, the place and
 * the fix. Waiting helps only for a {@link BrokerUnreachable}.
 */
public sealed class KafkaFailure extends RuntimeException
    permits BrokerUnreachable, LedgerUnusable {
  private static final long serialVersionUID = 1L;

  /** Most nested causes that are searched. */
  private static final int DEEPEST = 20;

  private static final int LONGEST_CAUSE = 300;

  KafkaFailure(String line, @Nullable Throwable cause) {
    super(line, cause);
  }

  /**
   * Classifies the failure of a call. A broker that denies has answered. After an interrupted wait
   * the thread stays interrupted.
   *
   * @param purpose the topic or purpose of a denied write
   */
  static KafkaFailure of(
      String bootstrapServers, String purpose, Duration limit, Throwable failure) {
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      switch (cause) {
        case AuthenticationException login -> {
          return loginDenied(bootstrapServers, login);
        }
        case AuthorizationException _ -> {
          return writeDenied(bootstrapServers, purpose);
        }
        default -> cause = cause.getCause();
      }
    }
    return new BrokerUnreachable(bootstrapServers, limit, failure);
  }

  private static KafkaFailure loginDenied(String bootstrapServers, AuthenticationException cause) {
    return new KafkaFailure(
        cause instanceof SslAuthenticationException
            ? "TLS with Kafka at "
                + bootstrapServers
                + " fails ("
                + line(cause)
                + "); set kafka.ssl.truststore.* to the certificate that signed the broker's, and"
                + " kafka.ssl.keystore.* to ours if the broker asks for one"
            : "Kafka at "
                + bootstrapServers
                + " does not accept our login ("
                + line(cause)
                + "); correct kafka.security.protocol, kafka.sasl.* or kafka.ssl.*, or for a role"
                + " beside an `up` on this machine, set broker.data to its data folder",
        cause);
  }

  /** The broker that {@code up} embeds lets logins without its secret only read. */
  static KafkaFailure writeDenied(String bootstrapServers, String topic) {
    return new KafkaFailure(
        "Kafka at "
            + bootstrapServers
            + " does not let us write to "
            + topic
            + "; if it is that of an `up` on this machine, name its data folder (--data DIR for a"
            + " command, --set broker.data=DIR for a role), else set kafka.security.protocol and"
            + " kafka.sasl.* to a user that may write (`./flyball topics --print-acls`)",
        null);
  }

  /** The settings of topics cannot be read, so they may be wrong. */
  static KafkaFailure settingsHidden(String bootstrapServers) {
    return new KafkaFailure(
        "Kafka at "
            + bootstrapServers
            + " does not let us read the settings of our topics; give this login the rights that"
            + " `./flyball topics --print-acls` prints",
        null);
  }

  /** Kafka's client rejects the configured properties, so no broker was asked. */
  static KafkaFailure wrongProperties(Throwable cause) {
    return new KafkaFailure(
        "Kafka's client cannot be created: " + line(cause) + "; correct kafka.*", cause);
  }

  static KafkaFailure partitions(String topic, int found, int wanted) {
    return wrong(
        topic,
        "partitions",
        Integer.toString(found),
        Integer.toString(wanted),
        found < wanted
            ? "run: kafka-topics.sh --alter --topic " + topic + " --partitions " + wanted
            : "partitions cannot shrink: delete the topic, or use another topics.prefix");
  }

  static KafkaFailure replicas(String topic, int found, int wanted) {
    return wrong(
        topic,
        "replicas",
        Integer.toString(found),
        wanted + " or more",
        "add replicas with kafka-reassign-partitions.sh, or set topics.replication to "
            + found
            + " to accept that a lost broker loses records");
  }

  static KafkaFailure setting(String topic, String name, String found, String wanted) {
    return wrong(
        topic,
        name,
        found,
        wanted,
        "run: kafka-configs.sh --alter --entity-type topics --entity-name "
            + topic
            + " --add-config "
            + name
            + "="
            + wanted);
  }

  /** Topics that are missing, where this login may not create them. */
  static KafkaFailure notCreated(List<String> topics) {
    return new KafkaFailure(
        (topics.size() == 1 ? "topic " : "topics ")
            + String.join(", ", topics)
            + (topics.size() == 1 ? " is" : " are")
            + " missing or hidden from this login, which may not create topics; an administrator"
            + " runs what `./flyball topics --print-commands` prints",
        null);
  }

  static KafkaFailure lacking(String topic, String detail) {
    return wrong(topic, "existence", detail, "there", "see the broker's log");
  }

  private static KafkaFailure wrong(
      String topic, String setting, String found, String wanted, String fix) {
    return new KafkaFailure(
        "topic " + topic + ": " + setting + " is " + found + " and must be " + wanted + "; " + fix,
        null);
  }

  /** A cause in one line, without the wrappers that futures and constructors put around it. */
  static String line(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null
        && (root instanceof ExecutionException || root instanceof KafkaException)) {
      root = root.getCause();
    }
    String message =
        root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    return OneLine.of(message, LONGEST_CAUSE);
  }
}
