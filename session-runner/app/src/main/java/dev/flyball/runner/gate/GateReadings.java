package dev.flyball.runner.gate;

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
public record GateReadings(
    boolean sweepDone, int live, int slots, int unkillable, int strays, Machine machine) {

  /**
   * The load of the machine.
   *
   * @param load1 load average over one minute
   * @param cpus processors
   * @param memoryAvailableBytes memory available without swapping
   * @param pressurePercent worst of memory's {@code some} and I/O's {@code full} stall over 10 s; 0
   *     where unknown
   */
  public record Machine(
      double load1, int cpus, long memoryAvailableBytes, double pressurePercent) {}
}
