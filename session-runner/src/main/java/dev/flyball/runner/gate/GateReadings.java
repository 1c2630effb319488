package dev.flyball.runner.gate;

/**
 * What the gate decides by.
 *
 * @param sweepDone whether the start-up sweep has ended
 * @param live sessions of this runner that hold a slot, claims in flight included
 * @param slots most sessions of this runner at once
 * @param unkillable earlier sessions whose processes could not be ended; each takes a slot away
 * @param strays processes with our cookie that belong to no live session
 * @param machine how busy the machine is
 */
public record GateReadings(
    boolean sweepDone, int live, int slots, int unkillable, int strays, MachineState machine) {}
