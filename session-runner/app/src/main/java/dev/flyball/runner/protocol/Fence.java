package dev.flyball.runner.protocol;

/**
 * How long a session may live; nanoseconds on the runner's elapsed clock.
 *
 * @param confirmedAt read before the send of the newest renewal (or the claim) seen to take effect
 * @param fenceAt when the runner kills the session; final
 * @param deadmanAt when the deadman outside this JVM kills the session
 */
public record Fence(long confirmedAt, long fenceAt, long deadmanAt) {

  /**
   * Decides from which moment a renewal's lease runs. The simulation alone replaces it, to check
   * that it notices a wrong rule.
   */
  interface Rule {
    /** The only safe rule: no witness can have received the renewal before it was sent. */
    Rule BEFORE_SEND = (sentAt, seenAt) -> sentAt;

    long countsFrom(long sentAt, long seenAt);
  }
}
