package dev.flyball.containment;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

/**
 * The settings of containments.
 *
 * @param folder for deadlines and prompts; only this user can read it, and {@link #prepared}
 *     empties it
 * @param tick how often a deadman reads its clock
 * @param memoryBytes most memory that the kernel grants a session at level A+, 0 for no limit
 * @param network which part of the machine's network agents can reach
 */
public record ContainmentSettings(
    Path folder, Duration tick, long memoryBytes, AgentNetwork network) {
  /** The deadman's tick unless configured. */
  public static final Duration DEFAULT_TICK = Duration.ofMillis(500);

  public ContainmentSettings {
    if (tick.compareTo(Duration.ofMillis(10)) < 0) {
      throw new IllegalArgumentException("deadman tick " + tick + " must be at least 10 ms");
    }
  }

  /** The default settings, in the folder {@code run} of a runner's data folder. */
  public static ContainmentSettings in(Path dataDir) {
    return new ContainmentSettings(dataDir.resolve("run"), DEFAULT_TICK, 0, AgentNetwork.HOST);
  }

  /** These settings with a deadman that reads its clock this often. */
  public ContainmentSettings withTick(Duration other) {
    return new ContainmentSettings(folder, other, memoryBytes, network);
  }

  /** These settings with a memory limit, which the kernel enforces where it can. */
  public ContainmentSettings withMemory(long most) {
    return new ContainmentSettings(folder, tick, most, network);
  }

  /** These settings with another network. */
  public ContainmentSettings withNetwork(AgentNetwork other) {
    return new ContainmentSettings(folder, tick, memoryBytes, other);
  }

  /** Creates the folder, for this user only, and removes what a dead predecessor left in it. */
  ContainmentSettings prepared() throws IOException {
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    try (DirectoryStream<Path> left =
        Files.newDirectoryStream(folder, "*.{deadline,prompt,order,half}")) {
      for (Path file : left) {
        Files.deleteIfExists(file);
      }
    }
    return this;
  }
}
