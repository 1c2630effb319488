package dev.flyball.kafka;

import java.time.Duration;

/** No broker answers at the configured address. */
public final class BrokerUnreachable extends KafkaFailure {
  private static final long serialVersionUID = 1L;

  BrokerUnreachable(String bootstrapServers, Duration limit, Throwable cause) {
    super(
        "no Kafka broker answers at "
            + bootstrapServers
            + " within "
            + limit.toMillis() / 1000.0
            + " s ("
            + OneLine.of(cause)
            + "); start it, or set kafka.bootstrap.servers (--bootstrap-servers) to one that runs",
        cause);
  }
}
