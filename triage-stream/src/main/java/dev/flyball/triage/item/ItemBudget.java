package dev.flyball.triage.item;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.text.Dollars;
import org.jspecify.annotations.Nullable;

/**
 * The most that one item may cost over its lifetime, all snapshots and attempts together, whatever
 * retries, edits and operators request.
 */
public record ItemBudget(
    @ConfigKey(
            name = "items.budget.usd",
            unit = ConfigKey.Unit.MICRO_DOLLARS,
            meaning =
                "Most that one item may cost over its lifetime, all its sessions and triage shares:"
                    + " then no new request, the item is dead with reason 'item budget'. 0 for no"
                    + " limit")
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
