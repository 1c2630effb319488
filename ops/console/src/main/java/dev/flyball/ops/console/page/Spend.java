package dev.flyball.ops.console.page;

import dev.flyball.contract.metric.MetricWindow;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * What sessions and triage cost, in micro-dollars.
 *
 * @param micros since the begin of the UTC day if {@code today}, else since the projection began
 * @param savedMicros estimate of what triage and known snapshots did not cost, in the same time
 */
public record Spend(boolean today, long micros, long savedMicros) {

  /** The spend of the UTC day by the metric windows, or the overall spend if there are none. */
  public static Spend of(List<MetricWindow> windows, long overall, Instant now) {
    Instant day = now.truncatedTo(ChronoUnit.DAYS);
    List<MetricWindow> today = windows.stream().filter(it -> !it.start().isBefore(day)).toList();
    return windows.isEmpty()
        ? new Spend(false, overall, 0)
        : new Spend(
            true,
            today.stream().mapToLong(MetricWindow::costMicros).sum(),
            today.stream().mapToLong(MetricWindow::savedMicros).sum());
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
