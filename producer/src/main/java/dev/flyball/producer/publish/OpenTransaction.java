package dev.flyball.producer.publish;

import java.time.Duration;
import org.apache.kafka.common.KafkaException;

/**
 * Committed records could not be read to the end, because a transaction that began before them is
 * still open. It ends by itself, at the latest when the broker aborts it; trying again helps.
 */
public final class OpenTransaction extends KafkaException {
  private static final long serialVersionUID = 1L;

  OpenTransaction(String topic, Duration waited) {
    super(
        "a transaction of another source is open in "
            + topic
            + " for "
            + waited.toSeconds()
            + "s; what was committed behind it cannot be read yet");
  }
}
