package dev.flyball.kafka;

import java.time.Duration;

/** No broker answers at the configured address, or too few do. */
public final class BrokerUnreachable extends KafkaFailure {
  private static final long serialVersionUID = 1L;

  private final String problem;

  /** Creates the failure for fewer brokers than configured; more may still start. */
  BrokerUnreachable(String bootstrapServers, int found, int needed) {
    super(
        "topics need "
            + needed
            + " brokers (topics.replication) and the cluster at "
            + bootstrapServers
            + " has "
            + found
            + "; start the others, or set topics.replication to "
            + found
            + " if it will never have more",
        null);
    problem = found + " of " + needed + " brokers answer";
  }

  BrokerUnreachable(String bootstrapServers, Duration limit, Throwable cause) {
    super(
        "no Kafka broker answers at "
            + bootstrapServers
            + " within "
            + limit.toMillis() / 1000.0
            + " s ("
            + line(cause)
            + "); start it, or set kafka.bootstrap.servers (--bootstrap-servers) to one that runs",
        cause);
    problem = "no broker answers";
  }

  /** A short description, for messages while a start waits for brokers. */
  public String problem() {
    return problem;
  }
}
