package dev.flyball.ops.console.metrics;

import org.jspecify.annotations.Nullable;

/**
 * What the windows need of one event. The fold's first part writes it to a topic with one
 * partition, because a window is made of the events of all partitions.
 *
 * @param name the event's name, for example {@code item.changed}; {@link #OTHER} or {@link #LATE}
 * @param tenant the tenant, or {@code -}
 * @param at when it happened, in epoch milliseconds
 * @param session the session's id, if it is about one
 * @param end how the session ended, if it did
 * @param batch the triage call that it came of
 * @param costMicros what a triage call cost for this item, in micro-dollars
 * @param survivors processes that it reports of a tree that cannot be ended
 * @param saved whether it says that a session was not needed
 */
public record MetricFact(
    String name,
    String tenant,
    long at,
    @Nullable String session,
    @Nullable End end,
    @Nullable String batch,
    long costMicros,
    long survivors,
    boolean saved) {
  /** The name of events of unknown types, and of those that cannot be read. */
  public static final String OTHER = "other";

  static final String CLAIMED = "session.claimed";

  static final String PROGRESSED = "session.progressed";

  /** The name of events that came more than a day late. */
  public static final String LATE = "late";

  /** The event that ends a session's lease; its terminal follows. */
  static final String LEASE_ENDED = "session.leaseEnded";

  /** The same where the runner fell silent, so that its item is taken over. */
  static final String LEASE_EXPIRED = "session.leaseExpired";

  /** A fact that is only counted. */
  static MetricFact counted(String name, String tenant, long at) {
    return new MetricFact(name, tenant, at, null, null, null, 0, 0, false);
  }

  /**
   * Whether it adds to its window by itself. A progress report only shows that its session is
   * there: such reports are too many to be counted.
   */
  public boolean counts() {
    return !name.equals(PROGRESSED);
  }

  /**
   * How a session ended.
   *
   * @param started whether its agent was started, so that its durations have a meaning
   * @param killedBy why its runner ended it; null if it ended by itself
   * @param survivors processes that outlived it
   */
  public record End(
      String outcome,
      boolean started,
      @Nullable String killedBy,
      long runningMs,
      long waitingMs,
      long tokens,
      long costMicros,
      long processesPeak,
      long survivors) {}
}
