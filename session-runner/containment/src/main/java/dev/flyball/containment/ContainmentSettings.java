package dev.flyball.containment;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings of containments.
 *
 * @param folder for deadlines and prompts; only this user can read it
 * @param tick how often a deadman reads its clock
 * @param memoryBytes most memory that the kernel grants a session at level A+, 0 for no limit
 * @param network which part of the machine's network agents can reach
 * @param warden whether there may be a warden in C; without it shells hold sessions, at level A
 */
public record ContainmentSettings(
    Path folder, Duration tick, long memoryBytes, AgentNetwork network, boolean warden) {
  /** The deadman's tick unless configured. */
  public static final Duration DEFAULT_TICK = Duration.ofMillis(500);

  public ContainmentSettings {
    if (tick.compareTo(Duration.ofMillis(10)) < 0) {
      throw new IllegalArgumentException("deadman tick " + tick + " must be at least 10 ms");
    }
  }

  /** The default settings, in the folder {@code run} of a runner's data folder. */
  public static ContainmentSettings in(Path dataDir) {
    return new ContainmentSettings(
        dataDir.resolve("run"), DEFAULT_TICK, 0, AgentNetwork.HOST, true);
  }

  /** These settings with a deadman that reads its clock this often. */
  public ContainmentSettings withTick(Duration other) {
    return new ContainmentSettings(folder, other, memoryBytes, network, warden);
  }

  /** These settings with a memory limit, which the kernel enforces where it can. */
  public ContainmentSettings withMemory(long most) {
    return new ContainmentSettings(folder, tick, most, network, warden);
  }

  /** These settings with another network. */
  public ContainmentSettings withNetwork(AgentNetwork other) {
    return new ContainmentSettings(folder, tick, memoryBytes, other, warden);
  }

  /** These settings for a machine that has no warden and no C compiler. */
  public ContainmentSettings withoutWarden() {
    return new ContainmentSettings(folder, tick, memoryBytes, network, false);
  }
}
