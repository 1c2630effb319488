package dev.flyball.runner.gate;

/**
 * The load of the machine.
 *
 * @param load1 load average over one minute
 * @param cpus processors
 * @param memoryAvailableBytes memory available without swapping
 * @param pressurePercent worst of memory's {@code some} and I/O's {@code full} stall over 10 s; 0
 *     where unknown
 */
public record MachineState(
    double load1, int cpus, long memoryAvailableBytes, double pressurePercent) {}
