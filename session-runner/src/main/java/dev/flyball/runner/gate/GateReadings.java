package dev.flyball.runner.gate;

/**
 * What the gate decides by.
 *
 * @param sweepDone whether the start-up sweep has ended
 * @param live sessions of this runner that hold a slot, claims in flight and unkillable trees
 *     included
 * @param slots most sessions of this runner at once
 * @param load1 load average over one minute
 * @param cpus processors
 * @param memoryAvailableBytes memory that can be had without swapping
 * @param pressurePercent worst of memory's {@code some} and I/O's {@code full} stall over 10 s; 0
 *     where unknown
 * @param strays processes with our cookie that belong to no live session
 */
public record GateReadings(
    boolean sweepDone,
    int live,
    int slots,
    double load1,
    int cpus,
    long memoryAvailableBytes,
    double pressurePercent,
    int strays) {}
