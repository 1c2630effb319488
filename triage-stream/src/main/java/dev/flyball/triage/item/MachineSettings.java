package dev.flyball.triage.item;

import dev.flyball.contract.config.ConfigKey;
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
    Routing routing,
    @ConfigKey(
            name = "triage.patience",
            meaning = "How long a verdict may take until its question is asked again")
        Duration patience,
    ItemBudget budget,
    ReuseLimits reuse) {

  public MachineSettings {
    if (!patience.isPositive()) {
      throw new IllegalArgumentException("triage.patience " + patience + " must be above 0");
    }
  }

  /** The documented defaults, with this choice of agents. */
  public static MachineSettings defaults(Routing routing) {
    return new MachineSettings(
        RetryLimits.defaults(),
        routing,
        Duration.ofHours(1),
        ItemBudget.DEFAULT,
        ReuseLimits.DEFAULT);
  }
}
