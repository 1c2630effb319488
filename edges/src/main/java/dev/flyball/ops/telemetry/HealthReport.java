package dev.flyball.ops.telemetry;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The answer of {@code /health}; its field names are fixed.
 *
 * @param status healthy, degraded or unhealthy
 * @param reasons why it is not healthy, or not ready yet; each is written as its text
 * @param activeSessions open leases of all runners, 0 in a role that does not fold the ledger
 * @param cap the cap in force, 0 in a role that does not fold the ledger
 * @param loadAverage over 1, 5 and 15 minutes
 * @param notes what an operator may want to know of the machine, and Flyball is not to blame for
 */
public record HealthReport(
    String status,
    List<Health.Condition> reasons,
    long activeSessions,
    long cap,
    List<Double> loadAverage,
    int cpuCount,
    List<String> notes) {

  public HealthReport {
    reasons = List.copyOf(reasons);
    notes = List.copyOf(notes);
    loadAverage = List.copyOf(loadAverage);
  }

  /**
   * Combines the health of the service, the figures of the ledger and the load. An overloaded
   * machine is unhealthy only while agents of this process run on it: else other programs load it.
   *
   * @param processes live processes of agents that this process runs
   */
  public static HealthReport of(
      Health health, long activeSessions, long cap, MachineLoad load, long processes) {
    var reasons = new ArrayList<>(health.conditions());
    var notes = new ArrayList<String>();
    Health.Status status = health.status();
    if (load.overrun()) {
      String line =
          "load "
              + load.averages().getFirst()
              + " is above "
              + MachineLoad.OVERRUN
              + " x "
              + load.cpus()
              + " CPUs";
      if (processes > 0) {
        status = Health.Status.UNHEALTHY;
        reasons.add(new Health.Condition("load", line + ": " + MachineLoad.HELP));
      } else {
        notes.add(line + "; no agent of this process runs");
      }
    }
    return new HealthReport(
        status.name().toLowerCase(Locale.ROOT),
        reasons,
        activeSessions,
        cap,
        load.averages(),
        load.cpus(),
        notes);
  }

  /** The HTTP status: 200, or 503 if unhealthy. */
  public int httpStatus() {
    return status.equals("unhealthy") ? 503 : 200;
  }
}
