package dev.flyball.ops.console.view;

import java.util.Map;

/**
 * The sessions that ended within a time, as far as they are kept.
 *
 * @param ended how many by outcome; absent outcomes have none
 * @param averageRunningMs mean time from the agent's start until its tree was verified dead, 0
 *     without sessions
 * @param costMicros in micro-dollars
 */
public record SessionTotals(Map<String, Long> ended, long averageRunningMs, long costMicros) {
  public SessionTotals {
    ended = Map.copyOf(ended);
  }

  /** How many ended. */
  public long sessions() {
    return ended.values().stream().mapToLong(Long::longValue).sum();
  }
}
