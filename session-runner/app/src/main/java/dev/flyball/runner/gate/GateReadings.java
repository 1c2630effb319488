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
    boolean sweepDone, int live, int slots, int unkillable, int strays, MachineState machine) {}
