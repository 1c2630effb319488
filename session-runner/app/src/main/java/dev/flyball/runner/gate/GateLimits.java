package dev.flyball.runner.gate;

/**
 * When a runner declines further sessions ({@code gate.*}). With no live session it lets one start
 * whatever the load of the machine.
 *
 * @param loadPerCpu highest one-minute load average per CPU
 * @param memoryBytes least memory that must be available
 * @param pressurePercent highest share of the last 10 s in which some process waited for memory or
 *     I/O
 * @param strayWarn stray processes (with the cookie of a session, but of no live session) from
 *     which health is degraded
 * @param straySweep stray processes from which no session starts and a sweep runs
 */
public record GateLimits(
    double loadPerCpu, long memoryBytes, int pressurePercent, int strayWarn, int straySweep) {
  /** The defaults. */
  public static final GateLimits DEFAULT = new GateLimits(0.8, 512L << 20, 40, 10, 20);

  public GateLimits {
    if (!(loadPerCpu > 0)) {
      throw new IllegalArgumentException("gate.load " + loadPerCpu + " must be above 0");
    }
    if (memoryBytes < 0) {
      throw new IllegalArgumentException("gate.memory " + memoryBytes + " must not be negative");
    }
    if (pressurePercent < 1 || pressurePercent > 100) {
      throw new IllegalArgumentException("gate.pressure " + pressurePercent + " must be 1 to 100");
    }
    if (strayWarn < 1 || straySweep < strayWarn) {
      throw new IllegalArgumentException(
          "stray process limits "
              + strayWarn
              + " and "
              + straySweep
              + " must be 1 or more, ascending");
    }
  }
}
