package dev.flyball.producer.publish;

import dev.flyball.producer.lease.PollWitness;
import java.time.Duration;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;

/** Why a source is not polled now, without a fault of the source itself. */
public sealed interface NotPolled {
  /** A passing reason ends by itself within this time. */
  Duration SOON = Duration.ofSeconds(90);

  /** One line for a person. */
  String reason();

  /**
   * The reason ends by itself soon, whatever the tracker does: another producer's transaction, a
   * lease that is about to end, a slow broker. Trying again soon helps.
   */
  record Passing(String reason) implements NotPolled {}

  /** The reason stays until its cause is removed, which may take long. */
  record Lasting(String reason) implements NotPolled {}

  /**
   * Another poll of the source runs, or another producer polls it: nothing is wrong.
   *
   * @param soon whether that ends within {@link #SOON}
   */
  record Elsewhere(String reason, boolean soon) implements NotPolled {}

  /** Kafka could not be read or written in time, or denies access. */
  static NotPolled of(KafkaException e) {
    if (isForbidden(e)) {
      return new Lasting(
          "Kafka denied access: " + e.getMessage() + "; fix the ACLs or Flyball's login");
    }
    return new Passing("Kafka does not answer: " + e.getMessage());
  }

  /**
   * Another producer holds the lease. It goes on renewing the lease unless it has exited, so the
   * wait ends soon only if the lease has already been silent for long.
   */
  static NotPolled of(PollWitness.Held held) {
    String reason =
        "polled by "
            + held.owner()
            + "; taken over if that one stays silent for another "
            + held.remaining().toSeconds()
            + "s";
    return new Elsewhere(reason, held.remaining().compareTo(SOON) <= 0);
  }

  /**
   * Whether Kafka denied access: a transactional producer names that only in the cause of later
   * exceptions.
   */
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
