package dev.flyball.ops.console.metrics;

/**
 * What one analysis has cost on average until now: all spend by the completed sessions, the same
 * rule as that of the projection's counters. Immutable.
 */
public record AverageCost(long costMicros, long completed) {
  /** Before the first event. */
  public static final AverageCost NONE = new AverageCost(0, 0);

  /** The average after one more event. */
  public AverageCost after(MetricFact fact) {
    MetricFact.End end = fact.end();
    long cost = fact.costMicros() + (end == null ? 0 : end.costMicros());
    boolean done = end != null && end.outcome().equals("completed");
    return cost == 0 && !done
        ? this
        : new AverageCost(costMicros + cost, completed + (done ? 1 : 0));
  }

  /** Micro-dollars; 0 before the first session was completed. */
  long micros() {
    return completed == 0 ? 0 : costMicros / completed;
  }
}
