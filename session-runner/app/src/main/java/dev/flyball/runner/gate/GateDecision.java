package dev.flyball.runner.gate;

import java.util.Locale;

/** Whether a session may start here now. */
public sealed interface GateDecision {

  /**
   * The readings by which the gate decides.
   *
   * @param sweepDone whether the start-up sweep has ended
   * @param live sessions of this runner that hold a slot, claims in flight included
   * @param slots most live sessions of this runner
   * @param unkillable earlier sessions whose processes could not be ended; each takes a slot away
   * @param strays processes with the cookie of a session that belong to no live session
   * @param machine the load of the machine
   */
  record Readings(
      boolean sweepDone, int live, int slots, int unkillable, int strays, Machine machine) {}

  /**
   * The load of the machine.
   *
   * @param load1 load average over one minute
   * @param cpus processors
   * @param memoryAvailableBytes memory available without swapping
   * @param pressurePercent worst of memory's {@code some} and I/O's {@code full} stall over 10 s; 0
   *     where unknown
   */
  record Machine(double load1, int cpus, long memoryAvailableBytes, double pressurePercent) {}

  /** A session may start. */
  record Open() implements GateDecision {}

  /**
   * No session may start.
   *
   * @param kind what prevents it; changes of it are events
   * @param reason the same with figures, one line for a person
   */
  record Refused(Kind kind, String reason) implements GateDecision {}

  /** What may prevent a start, in the order of the checks. */
  enum Kind {
    SWEEPING("sweeping"),
    SLOTS("slots"),
    UNKILLABLE("unkillable processes"),
    DATA_FOLDER("data folder"),
    DISK("disk"),
    STARTS("hung starts"),
    STRAYS("stray processes"),
    MEMORY("memory"),
    PRESSURE("pressure"),
    LOAD("load");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** The name in {@code runner} entries. */
    public String label() {
      return label;
    }
  }

  /**
   * Decides. With no live session a runner lets one start whatever the load of the machine, so that
   * a busy build machine still makes progress. The sweep, the slots and the slots that unkillable
   * processes take always apply.
   */
  static GateDecision decide(GateLimits limits, Readings now) {
    if (!now.sweepDone()) {
      return new Refused(Kind.SWEEPING, "the sweep of earlier sessions has not ended");
    }
    if (now.live() >= now.slots()) {
      return new Refused(Kind.SLOTS, now.live() + " of " + now.slots() + " slots are taken");
    }
    if (now.live() + now.unkillable() >= now.slots()) {
      return new Refused(
          Kind.UNKILLABLE,
          "processes of "
              + now.unkillable()
              + " earlier sessions cannot be ended and take slots of "
              + now.slots());
    }
    if (now.live() == 0) {
      return new Open();
    }
    if (now.strays() >= GateLimits.STRAYS_SWEEP) {
      return new Refused(
          Kind.STRAYS, now.strays() + " stray processes, limit " + GateLimits.STRAYS_SWEEP);
    }
    Machine machine = now.machine();
    if (machine.memoryAvailableBytes() < limits.memoryBytes()) {
      return new Refused(
          Kind.MEMORY,
          mb(machine.memoryAvailableBytes())
              + " MB of memory available, needs "
              + mb(limits.memoryBytes()));
    }
    if (machine.pressurePercent() > limits.pressurePercent()) {
      return new Refused(
          Kind.PRESSURE,
          String.format(
              Locale.ROOT,
              "pressure %.0f %%, limit %d %%",
              machine.pressurePercent(),
              limits.pressurePercent()));
    }
    double highest = limits.loadPerCpu() * machine.cpus();
    if (machine.load1() >= highest) {
      return new Refused(
          Kind.LOAD, String.format(Locale.ROOT, "load %.2f, limit %.2f", machine.load1(), highest));
    }
    return new Open();
  }

  private static long mb(long bytes) {
    return bytes >> 20;
  }
}
