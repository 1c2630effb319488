package dev.flyball.ops.telemetry;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The health of a service.
 *
 * @param live false if only a new process helps; the service manager should then restart it
 * @param ready whether it works: broker reached, ledger read
 * @param reasons why it is not healthy, one line each; empty if healthy
 */
public record Health(Status status, boolean live, boolean ready, List<String> reasons) {

  public Health {
    reasons = List.copyOf(reasons);
  }

  /** The health of a live service. */
  public Health(Status status, boolean ready, List<String> reasons) {
    this(status, true, ready, reasons);
  }

  /** The three levels; degraded still answers 200. */
  public enum Status {
    HEALTHY,
    DEGRADED,
    UNHEALTHY
  }

  /** Healthy and ready to work. */
  public static Health healthy() {
    return new Health(Status.HEALTHY, true, List.of());
  }

  /** Alive, not ready yet. */
  public static Health starting(String reason) {
    return new Health(Status.HEALTHY, false, List.of(reason));
  }

  /** Works, but a person should check the reason. */
  public static Health degraded(String reason) {
    return new Health(Status.DEGRADED, true, List.of(reason));
  }

  /** Does not work, or an invariant is broken. */
  public static Health unhealthy(String reason) {
    return new Health(Status.UNHEALTHY, false, List.of(reason));
  }

  /** Does nothing until its process is restarted. */
  public static Health halted(String reason) {
    return new Health(Status.UNHEALTHY, false, false, List.of(reason));
  }

  /** The same status with other reasons. */
  public Health because(List<String> others) {
    return new Health(status, live, ready, others);
  }

  /** The worse of two, with the reasons of both. */
  public Health and(Health other) {
    Status worse = status.compareTo(other.status) >= 0 ? status : other.status;
    var all = new ArrayList<>(Stream.concat(reasons.stream(), other.reasons.stream()).toList());
    return new Health(worse, live && other.live, ready && other.ready, all);
  }
}
