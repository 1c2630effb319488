package dev.flyball.triage.item;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.TimeSpan;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

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

  /** How often and when an unfinished item is tried again. */
  public record RetryLimits(
      @ConfigKey(
              name = "sessions.attempts",
              from = 1,
              to = 100,
              meaning = "Attempts before an item is dead")
          int attempts,
      @ConfigKey(
              name = "sessions.lost",
              from = 1,
              to = 100,
              meaning = "Lost sessions before an item is dead")
          int lost,
      @ConfigKey(
              name = "sessions.back-off",
              meaning =
                  "Wait before the second attempt; times 4 for each further one, up to 10m,"
                      + " give or take 25 %")
          Duration backOff) {
    /** The longest wait before an attempt, before jitter. */
    public static final Duration CEILING = Duration.ofMinutes(10);

    /**
     * The wait after the second interruption or loss in a row, doubled each time up to {@link
     * #CEILING}; after the first there is no wait, so that a takeover costs no more than the lease.
     */
    public static final Duration QUICK = Duration.ofSeconds(1);

    public RetryLimits {
      if (CEILING.compareTo(backOff) < 0) {
        throw new IllegalArgumentException(
            "sessions.back-off "
                + TimeSpan.exact(backOff)
                + " must be 0 to its ceiling "
                + TimeSpan.exact(CEILING));
      }
    }

    /** The documented defaults. */
    public static RetryLimits defaults() {
      return new RetryLimits(3, 5, Duration.ofSeconds(30));
    }
  }

  /**
   * How long an agent's session is resumed. The limits on its age and size can each be switched off
   * with 0. The limit on dead sessions cannot, because a session that does not work any more would
   * be resumed for ever.
   */
  public record ReuseLimits(
      @ConfigKey(
              name = "sessions.reuse",
              meaning =
                  "Whether an item's next session resumes the agent's earlier one, for agents that"
                      + " can (claude, codex). It saves reading the same code again")
          boolean reuse,
      @ConfigKey(
              name = "sessions.rotate.dead",
              from = 1,
              to = 20,
              meaning =
                  "Resumed sessions in a row that fail without one token, after which the next one"
                      + " starts fresh")
          int dead,
      @ConfigKey(
              name = "sessions.rotate.runs",
              to = 1_000_000,
              meaning = "Sessions that use one agent session before a fresh one. 0 for no limit")
          int runs,
      @ConfigKey(
              name = "sessions.rotate.age",
              meaning = "Age at which an agent session is not resumed any more. 0s for no limit")
          Duration age,
      @ConfigKey(
              name = "sessions.rotate.input-tokens",
              to = 1_000_000_000_000L,
              meaning =
                  "Input tokens that one agent session uses before a fresh one. 0 for no limit")
          long inputTokens) {

    /** The documented defaults. */
    public static final ReuseLimits DEFAULT =
        new ReuseLimits(true, 3, 200, Duration.ofDays(3), 2_000_000);

    /** How many past sessions an item's state has to keep, so that every limit can be applied. */
    int notes(int least) {
      return Math.max(least, dead + 1);
    }
  }

  /**
   * The most that one item may cost over its lifetime, all snapshots and attempts together,
   * whatever retries, edits and operators request.
   */
  public record ItemBudget(
      @ConfigKey(
              name = "items.budget.usd",
              unit = ConfigKey.Unit.MICRO_DOLLARS,
              meaning =
                  "Most that one item may cost over its lifetime, all its sessions and triage"
                      + " shares: then no new request, the item is dead with reason 'item budget'."
                      + " 0 for no limit")
          long costMicros,
      @ConfigKey(
              name = "items.budget.tokens",
              to = 1_000_000_000_000_000L,
              meaning = "The same in tokens of every kind. 0 for no limit")
          long tokens) {
    /** No limit. */
    public static final ItemBudget NONE = new ItemBudget(0, 0);

    /** The default: some seven snapshots that used up all their attempts. */
    public static final ItemBudget DEFAULT = new ItemBudget(10_000_000, 0);

    /** Why no further session is paid for; null while some budget is left. */
    @Nullable String refuses(ItemState state) {
      if (costMicros > 0 && state.spentMicros() >= costMicros) {
        return refusal(
            Dollars.exact(state.spentMicros()) + " of " + Dollars.exact(costMicros) + " USD");
      }
      return tokens > 0 && state.spentTokens() >= tokens
          ? refusal(state.spentTokens() + " of " + tokens + " tokens")
          : null;
    }

    private static String refusal(String figures) {
      return "item budget: " + figures + " spent over its lifetime";
    }
  }
}
