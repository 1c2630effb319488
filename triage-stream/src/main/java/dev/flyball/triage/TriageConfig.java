package dev.flyball.triage;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.triage.item.ItemBudget;
import dev.flyball.triage.item.OnNewer;
import dev.flyball.triage.item.RetryLimits;
import dev.flyball.triage.item.ReuseLimits;
import dev.flyball.triage.item.Routing;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The configuration of triage-stream.
 *
 * @param data folder of the classifier's journal and of the stream's stores; created if missing.
 *     The caller holds the lock on it
 * @param retry how often and when sessions are tried again ({@code sessions.attempts}, {@code
 *     sessions.back-off})
 * @param routing which agent each request asks for ({@code routes}, {@code agents})
 * @param itemBudget the most that one item may cost over its lifetime ({@code items.budget.usd},
 *     {@code items.budget.tokens})
 * @param reuse how long an agent's session is resumed ({@code sessions.reuse}, {@code
 *     sessions.rotate.*})
 * @param commitInterval how long a decision may wait until other apps see it
 * @param dueTick how often due times are checked
 */
public record TriageConfig(
    Path data,
    @ConfigKey(
            name = "triage.batch.items",
            from = 1,
            to = 1000,
            meaning = "Most items of one triage call")
        int batchItems,
    @ConfigKey(
            name = "triage.batch.bytes",
            unit = ConfigKey.Unit.BYTES,
            meaning =
                "Most bytes of the items of one triage call; a batch above it becomes several, and"
                    + " only of an item that is larger by itself the rest is left out")
        int batchBytes,
    @ConfigKey(name = "triage.batch.linger", meaning = "How long a batch waits for more items")
        Duration batchLinger,
    RetryLimits retry,
    @ConfigKey(
            name = "triage.on-newer",
            meaning = "What a newer snapshot does to its item's running session")
        OnNewer onNewer,
    Routing routing,
    @ConfigKey(
            name = "triage.patience",
            meaning = "How long a verdict may take until its question is asked again")
        Duration patience,
    ItemBudget itemBudget,
    ReuseLimits reuse,
    Duration commitInterval,
    Duration dueTick) {
  public static final int DEFAULT_BATCH_ITEMS = 50;
  public static final int DEFAULT_BATCH_BYTES = 160 << 10;
  public static final Duration DEFAULT_BATCH_LINGER = Duration.ofSeconds(2);
  public static final OnNewer DEFAULT_ON_NEWER = OnNewer.FINISH;
  public static final Duration DEFAULT_PATIENCE = Duration.ofHours(1);
  public static final Duration DEFAULT_COMMIT_INTERVAL = Duration.ofMillis(100);
  public static final Duration DEFAULT_DUE_TICK = Duration.ofMillis(250);

  private static final int LEAST_BATCH_BYTES = 4 << 10;
  private static final int MOST_BATCH_BYTES = 4 << 20;

  public TriageConfig {
    if (batchItems < 1 || batchItems > 1000) {
      throw new IllegalArgumentException("triage.batch.items " + batchItems + " must be 1 to 1000");
    }
    if (batchBytes < LEAST_BATCH_BYTES || batchBytes > MOST_BATCH_BYTES) {
      throw new IllegalArgumentException(
          "triage.batch.bytes " + batchBytes + " must be 4KiB to 4MiB");
    }
    if (batchLinger.isNegative() || batchLinger.compareTo(Duration.ofMinutes(1)) > 0) {
      throw new IllegalArgumentException("triage.batch.linger " + batchLinger + " must be 0 to 1m");
    }
    if (!patience.isPositive()) {
      throw new IllegalArgumentException("triage.patience " + patience + " must be above 0");
    }
    if (!commitInterval.isPositive() || commitInterval.compareTo(Duration.ofSeconds(5)) > 0) {
      throw new IllegalArgumentException(
          "commit interval " + commitInterval + " must be above 0 and up to 5s");
    }
    if (!dueTick.isPositive()) {
      throw new IllegalArgumentException("due tick " + dueTick + " must be above 0");
    }
  }

  /** The documented defaults, for one data folder. */
  public static TriageConfig defaults(Path data) {
    return defaults(data, Routing.NONE);
  }

  /** The same with this choice of agents. */
  public static TriageConfig defaults(Path data, Routing routing) {
    return new TriageConfig(
        data,
        DEFAULT_BATCH_ITEMS,
        DEFAULT_BATCH_BYTES,
        DEFAULT_BATCH_LINGER,
        RetryLimits.defaults(),
        DEFAULT_ON_NEWER,
        routing,
        DEFAULT_PATIENCE,
        ItemBudget.DEFAULT,
        ReuseLimits.DEFAULT,
        DEFAULT_COMMIT_INTERVAL,
        DEFAULT_DUE_TICK);
  }
}
