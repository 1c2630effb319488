package dev.flyball.ops.console.page;

import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.ops.console.view.DaySpend;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What sessions and triage cost, in micro-dollars.
 *
 * @param micros since the begin of the UTC day if {@code today}, else since the projection began
 * @param limitMicros what the day may cost; null without a budget
 * @param savedMicros estimate of what triage and known snapshots did not cost, in the same time
 */
public record Spend(boolean today, long micros, @Nullable Long limitMicros, long savedMicros) {

  /**
   * The spend of the UTC day by the ledger if it has a budget, else by the metric windows; the
   * overall spend if there are none.
   */
  public static Spend of(
      List<MetricWindow> windows, long overall, ScopeLimits limits, Instant now) {
    Instant day = now.truncatedTo(ChronoUnit.DAYS);
    List<MetricWindow> today = windows.stream().filter(it -> !it.start().isBefore(day)).toList();
    long saved = today.stream().mapToLong(MetricWindow::savedMicros).sum();
    DaySpend.Budget budget = limits.overall();
    if (budget != null && budget.limitMicros() != null) {
      return new Spend(true, budget.spentMicros(), budget.limitMicros(), saved);
    }
    return windows.isEmpty()
        ? new Spend(false, overall, null, 0)
        : new Spend(true, today.stream().mapToLong(MetricWindow::costMicros).sum(), null, saved);
  }

  /** The budget, for example {@code of $20.00}; empty without one. */
  public String limit() {
    return limitMicros == null ? "" : "of " + Display.dollars(limitMicros);
  }

  /** The name of the figure. */
  public String name() {
    return today ? "Spent today" : "Spent";
  }

  /** The line below it. */
  public String detail() {
    return today ? "saved about " + Display.dollars(savedMicros) : "since the first record";
  }
}
