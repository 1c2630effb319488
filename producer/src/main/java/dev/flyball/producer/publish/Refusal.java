package dev.flyball.producer.publish;

import dev.flyball.producer.lease.Standing;
import java.time.Duration;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;

/** Why a source is not polled now: nothing is wrong with the source itself. */
public sealed interface Refusal {
  /** What ends by itself does so within this time. */
  Duration SOON = Duration.ofSeconds(90);

  /** One line for a person. */
  String reason();

  /**
   * It ends by itself, soon and whatever the tracker does: another's poll or transaction, a lease
   * that is about to run out, a broker that is slow. Asking again soon is the mend.
   */
  record Passing(String reason) implements Refusal {}

  /** It stands until its reason is gone, which may take long. */
  record Lasting(String reason) implements Refusal {}

  /** Kafka could not be read or written in time, or refuses it. */
  static Refusal of(KafkaException e) {
    if (isForbidden(e)) {
      return new Lasting("Kafka refuses it: " + e.getMessage() + "; mend its ACLs or our login");
    }
    return new Passing(
        e instanceof OpenTransaction
            ? String.valueOf(e.getMessage())
            : "Kafka does not answer: " + e.getMessage());
  }

  /** Its holder goes on renewing it unless it is gone, so only a silence that is old ends soon. */
  static Refusal of(Standing.Held held) {
    String reason =
        "polled by "
            + held.owner()
            + "; taken over if that one stays silent for another "
            + held.remaining().toSeconds()
            + "s";
    return held.remaining().compareTo(SOON) > 0 ? new Lasting(reason) : new Passing(reason);
  }

  /** A transactional producer says so only in the cause of what it throws afterwards. */
  private static boolean isForbidden(KafkaException e) {
    Throwable at = e;
    for (int depth = 0; at != null && depth < 20; depth++) {
      if (at instanceof AuthorizationException || at instanceof AuthenticationException) {
        return true;
      }
      at = at.getCause();
    }
    return false;
  }
}
