package dev.flyball.runner.lease;

/**
 * From which moment a renewal's lease counts. A seam for the simulation alone, which has to notice
 * when the rule is wrong.
 */
interface FenceRule {
  /** The only safe one: a witness cannot have received the renewal before it was sent. */
  FenceRule BEFORE_SEND = (sentAt, seenAt) -> sentAt;

  long countsFrom(long sentAt, long seenAt);
}
