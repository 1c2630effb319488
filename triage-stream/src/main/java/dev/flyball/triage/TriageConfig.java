package dev.flyball.triage;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.triage.item.MachineSettings;
import dev.flyball.triage.item.Routing;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The configuration of triage-stream.
 *
 * @param data folder of the stream's stores; created if missing. The caller holds the lock on it
 * @param machine the settings of the item's state machine
 */
public record TriageConfig(
    Path data,
    @ConfigKey(
            name = "triage.batch.items",
            from = 1,
            to = 1000,
            meaning = "Most items of one triage call")
        int batchItems,
    @ConfigKey(name = "triage.batch.linger", meaning = "How long a batch waits for more items")
        Duration batchLinger,
    MachineSettings machine) {
  /**
   * Most bytes of the items of one triage call. A batch above it becomes several; of an item that
   * is larger by itself the rest is left out.
   */
  public static final int BATCH_BYTES = 160 << 10;

  public TriageConfig {
    if (batchLinger.compareTo(Duration.ofMinutes(1)) > 0) {
      throw new IllegalArgumentException(
          "triage.batch.linger " + TimeSpan.exact(batchLinger) + " must be 0 to 1m");
    }
  }

  /** The documented defaults, for one data folder. */
  public static TriageConfig defaults(Path data) {
    return defaults(data, Routing.NONE);
  }

  /** The same with this choice of agents. */
  public static TriageConfig defaults(Path data, Routing routing) {
    return new TriageConfig(data, 50, Duration.ofSeconds(2), MachineSettings.defaults(routing));
  }
}
