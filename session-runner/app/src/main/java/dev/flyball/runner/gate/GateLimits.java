package dev.flyball.runner.gate;

import dev.flyball.contract.config.ConfigKey;

/**
 * When a runner declines further sessions ({@code gate.*}). With no live session it lets one start
 * whatever the load of the machine.
 */
public record GateLimits(
    @ConfigKey(
            name = "gate.load",
            to = 1000,
            meaning =
                "1-minute load average for each CPU; from here on a runner starts one session at"
                    + " most")
        double loadPerCpu,
    @ConfigKey(
            name = "gate.memory",
            unit = ConfigKey.Unit.BYTES,
            meaning = "Available memory below which it starts none")
        long memoryBytes,
    @ConfigKey(
            name = "gate.pressure",
            from = 1,
            to = 100,
            meaning =
                "Linux pressure stall (PSI) in percent; from here on a busy runner starts no"
                    + " further session")
        int pressurePercent) {
  /** Stray processes from which health is degraded. */
  public static final int STRAYS_WARN = 10;

  /** Stray processes from which no session starts and a sweep runs. */
  public static final int STRAYS_SWEEP = 20;

  /** The defaults. */
  public static final GateLimits DEFAULT = new GateLimits(0.8, 512L << 20, 40);
}
