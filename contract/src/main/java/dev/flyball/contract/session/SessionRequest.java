package dev.flyball.contract.session;

import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.triage.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The one session that should run for its item now; the value of {@code session-requests}, keyed by
 * the item. A newer record replaces it, a tombstone withdraws it.
 *
 * @param request unique id; outcomes are matched by it
 * @param attempt 1 for the first
 * @param priority 1 is first; see {@link #turn}
 * @param since when the item began to wait with this content; a request after a retry or an
 *     interruption keeps it
 * @param route which configured agent it asks for, and why
 * @param snapshot the content to analyse
 * @param verdict why the item deserves a session
 * @param resume the agent's session to go on with; null for a fresh one
 * @param handover what a fresh agent session learns of the one before it; null if there is nothing
 */
public record SessionRequest(
    String request,
    int attempt,
    int priority,
    Instant since,
    Route route,
    Snapshot snapshot,
    Verdict verdict,
    @Nullable AgentSession resume,
    @Nullable Handover handover) {
  /** How much longer a request waits than one of the priority before it, all else being equal. */
  public static final Duration PRIORITY_STEP = Duration.ofHours(1);

  /** Priorities beyond this count as this one, so that the longest head start is bounded. */
  public static final int LAST_PRIORITY = 10;

  private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

  public SessionRequest {
    Objects.requireNonNull(route, "property route is missing");
  }

  /**
   * Returns the same request for a fresh agent session, which learns why.
   *
   * @param why the reason, to follow "because"
   */
  public SessionRequest fresh(String why) {
    if (resume == null) {
      return this;
    }
    Handover known = handover == null ? Handover.NONE : handover;
    return new SessionRequest(
        request,
        attempt,
        priority,
        since,
        route,
        snapshot,
        verdict,
        null,
        known.because(why, resume.id(), null));
  }

  /**
   * Orders the requests of a tenant, lowest first: the time at which the item began to wait, and
   * one {@link #PRIORITY_STEP} later for each step of priority. It needs no clock, so an order
   * stays valid. No request waits for ever: whatever arrives {@link #LAST_PRIORITY} steps later
   * goes behind it.
   *
   * @return epoch milliseconds; an impossible time is replaced by the last or the first possible
   *     one
   */
  public static long turn(int priority, Instant since) {
    long step = Math.clamp(priority, 0, LAST_PRIORITY) * PRIORITY_STEP.toMillis();
    Instant from = since.isBefore(Instant.EPOCH) ? Instant.EPOCH : since;
    return (from.isAfter(LATEST) ? LATEST : from).toEpochMilli() + step;
  }
}
