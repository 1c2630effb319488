package dev.flyball.contract.session;

/**
 * The three timings of every ended session, in milliseconds.
 *
 * @param waitingMs from the request's publication to the start of the agent (or the end, if it
 *     never started)
 * @param runningMs from the agent's start until its tree was verified dead
 * @param reportingMs from there until the release was sent
 */
public record Timings(long waitingMs, long runningMs, long reportingMs) {
  /** The timings of a session that neither waited nor ran. */
  public static final Timings ZERO = new Timings(0, 0, 0);
}
