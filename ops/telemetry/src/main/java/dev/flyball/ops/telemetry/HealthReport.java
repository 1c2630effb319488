package dev.flyball.ops.telemetry;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The answer of {@code /health}; its field names are fixed.
 *
 * @param status healthy, degraded or unhealthy
 * @param reasons why it is not healthy, or not ready yet
 * @param activeSessions open leases of all runners, 0 in a role that does not fold the ledger
 * @param cap the cap in force, 0 in a role that does not fold the ledger
 * @param loadAverage over 1, 5 and 15 minutes
 */
public record HealthReport(
    String status,
    List<String> reasons,
    long activeSessions,
    long cap,
    List<Double> loadAverage,
    int cpuCount) {

  public HealthReport {
    reasons = List.copyOf(reasons);
    loadAverage = List.copyOf(loadAverage);
  }

  /**
   * Combines the health of the service, the figures of the ledger and the load; an overloaded
   * machine is unhealthy by itself.
   */
  public static HealthReport of(Health health, long activeSessions, long cap, MachineLoad load) {
    var reasons = new ArrayList<>(health.reasons());
    Health.Status status = health.status();
    if (load.overrun()) {
      status = Health.Status.UNHEALTHY;
      reasons.add(
          "load "
              + load.averages().getFirst()
              + " is above "
              + MachineLoad.OVERRUN
              + " x "
              + load.cpus()
              + " CPUs");
    }
    return new HealthReport(
        status.name().toLowerCase(Locale.ROOT),
        reasons,
        activeSessions,
        cap,
        load.averages(),
        load.cpus());
  }

  /** The HTTP status: 200, or 503 if unhealthy. */
  public int httpStatus() {
    return status.equals("unhealthy") ? 503 : 200;
  }
}
