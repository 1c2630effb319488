package dev.flyball.ops.console.metrics;

import java.util.Map;
import java.util.TreeMap;

/**
 * How many sessions began and ended at which moment of one minute. The order in which it hears of
 * them does not matter, because events of several partitions come in no order. Immutable.
 *
 * @param changes by how much the number of sessions changed, by the milliseconds since the minute's
 *     start
 * @param coarse whether there were so many changes that they are kept by the second
 */
public record Concurrency(Map<Integer, Long> changes, boolean coarse) {
  /** No sessions. */
  public static final Concurrency NONE = new Concurrency(Map.of(), false);

  private static final int MOST = 600;
  private static final int SECOND = 1000;

  public Concurrency {
    changes = Map.copyOf(changes);
  }

  /** A session began at this moment, or was there before the minute if it is 0. */
  Concurrency begun(int offset) {
    return changed(offset, 1);
  }

  /** A session ended at this moment. */
  Concurrency ended(int offset) {
    return changed(offset, -1);
  }

  /** The most sessions at one moment. */
  long peak() {
    long now = 0;
    long peak = 0;
    for (long change : new TreeMap<>(changes).values()) {
      now += change;
      peak = Math.max(peak, now);
    }
    return peak;
  }

  private Concurrency changed(int offset, long by) {
    var next = new TreeMap<>(changes);
    next.merge(coarse ? second(offset, by) : offset, by, Long::sum);
    next.values().removeIf(change -> change == 0);
    return coarse || next.size() <= MOST ? new Concurrency(next, coarse) : bySecond(next);
  }

  private static Concurrency bySecond(Map<Integer, Long> exact) {
    var next = new TreeMap<Integer, Long>();
    exact.forEach((offset, change) -> next.merge(second(offset, change), change, Long::sum));
    return new Concurrency(next, true);
  }

  /** Begins are rounded up and ends down: a rounded peak is never above the true one. */
  private static int second(int offset, long change) {
    return change < 0 ? offset / SECOND * SECOND : (offset + SECOND - 1) / SECOND * SECOND;
  }
}
