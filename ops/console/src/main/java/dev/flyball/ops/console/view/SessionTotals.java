package dev.flyball.ops.console.view;

import java.util.Map;

/**
 * The sessions that ended within a time, as far as they are kept.
 *
 * @param ended how many by outcome; absent outcomes have none
 * @param averageRunningMs mean time from the agent's start until its tree was verified dead, 0
 *     without sessions
 * @param averageWaitingMs mean time from the request to the start
 * @param tokens of all kinds
 * @param costMicros in micro-dollars
 * @param processesPeak most processes of one session at a time
 * @param survivors processes that were alive after the end of their session
 */
public record SessionTotals(
    Map<String, Long> ended,
    long averageRunningMs,
    long averageWaitingMs,
    long tokens,
    long costMicros,
    long processesPeak,
    long survivors) {
  public SessionTotals {
    ended = Map.copyOf(ended);
  }

  /** How many ended. */
  public long sessions() {
    return ended.values().stream().mapToLong(Long::longValue).sum();
  }
}
