package dev.flyball.runner.protocol;

/**
 * Decides from which moment a renewal's lease runs. The simulation alone replaces it, to check that
 * it notices a wrong rule.
 */
interface FenceRule {
  /** The only safe rule: no witness can have received the renewal before it was sent. */
  FenceRule BEFORE_SEND = (sentAt, seenAt) -> sentAt;

  long countsFrom(long sentAt, long seenAt);
}
