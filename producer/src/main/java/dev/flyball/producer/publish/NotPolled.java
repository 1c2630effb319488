package dev.flyball.producer.publish;

import dev.flyball.producer.lease.PollWitness;
import java.time.Duration;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;

/**
 * Why a source is not polled now, without a fault of the source itself.
 *
 * @param reason one line for a person
 * @param passes whether it ends by itself within {@link #SOON}, whatever the tracker does: another
 *     producer's transaction, a lease that is about to end, a slow broker. Trying again then helps
 * @param elsewhere whether another poll of the source runs, or another producer polls it: nothing
 *     is wrong
 */
public record NotPolled(String reason, boolean passes, boolean elsewhere) {
  /** A passing reason ends by itself within this time. */
  public static final Duration SOON = Duration.ofSeconds(90);

  /** The reason ends by itself soon. */
  public static NotPolled passing(String reason) {
    return new NotPolled(reason, true, false);
  }

  /** The reason stays until its cause is removed, which may take long. */
  public static NotPolled lasting(String reason) {
    return new NotPolled(reason, false, false);
  }

  /** Kafka could not be read or written in time, or denies access. */
  public static NotPolled of(KafkaException e) {
    if (isForbidden(e)) {
      return lasting(
          "Kafka denied access: " + e.getMessage() + "; fix the ACLs or Flyball's login");
    }
    return passing("Kafka does not answer: " + e.getMessage());
  }

  /**
   * Another producer holds the lease. It goes on renewing the lease unless it has exited, so the
   * wait ends soon only if the lease has already been silent for long.
   */
  public static NotPolled of(PollWitness.Held held) {
    String reason =
        "polled by "
            + held.owner()
            + "; taken over if that one stays silent for another "
            + held.remaining().toSeconds()
            + "s";
    return new NotPolled(reason, held.remaining().compareTo(SOON) <= 0, true);
  }

  /** Whether Kafka denied access: a transactional producer names that only as a later cause. */
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
