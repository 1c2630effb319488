package dev.flyball.triage.item;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.text.TimeSpan;
import java.time.Duration;

/**
 * The settings of the machine.
 *
 * @param retry how often and when sessions are tried again ({@code sessions.attempts}, {@code
 *     sessions.back-off})
 * @param routing which agent each request asks for ({@code routes}, {@code agents})
 * @param patience how long a verdict may take until its question is checked, and asked again if the
 *     classifier has skipped it
 * @param budget the most that an item may cost over its lifetime ({@code items.budget.usd}, {@code
 *     items.budget.tokens})
 * @param reuse how long an agent's session is resumed ({@code sessions.reuse}, {@code
 *     sessions.rotate.*})
 */
public record MachineSettings(
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
    ItemBudget budget,
    ReuseLimits reuse) {

  public MachineSettings {
    if (!patience.isPositive()) {
      throw new IllegalArgumentException(
          "triage.patience " + TimeSpan.exact(patience) + " must be above 0");
    }
  }

  /** The documented defaults, with this choice of agents. */
  public static MachineSettings defaults(Routing routing) {
    return new MachineSettings(
        RetryLimits.defaults(),
        OnNewer.FINISH,
        routing,
        Duration.ofHours(1),
        ItemBudget.DEFAULT,
        ReuseLimits.DEFAULT);
  }

  /** What a newer snapshot does to a running session of its item. */
  public enum OnNewer {
    /** The session goes on; the newer snapshot waits for its end. */
    FINISH,
    /**
     * The session's request is withdrawn, so its runner ends the session. The newer snapshot is
     * taken when that session has ended.
     */
    CANCEL
  }
}
