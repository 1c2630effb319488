package dev.flyball.producer.publish;

import org.apache.kafka.common.KafkaException;

/** Why a source is not polled now: nothing is wrong with the source itself. */
public sealed interface Refusal {

  /** One line for a person. */
  String reason();

  /**
   * It ends by itself, within a minute or two and whatever the tracker does: another's poll, lease
   * or transaction, a broker that is slow. Asking again soon is the mend.
   */
  record Passing(String reason) implements Refusal {}

  /** It stands until its reason is gone, which may take long. */
  record Lasting(String reason) implements Refusal {}

  /** Kafka could not be read or written in time. */
  static Refusal of(KafkaException e) {
    return new Passing(
        e instanceof OpenTransaction
            ? String.valueOf(e.getMessage())
            : "Kafka does not answer: " + e.getMessage());
  }
}
