package dev.flyball.triage.item;

import dev.flyball.contract.state.ItemState;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The most that one item may cost over its lifetime, all snapshots and attempts together, whatever
 * retries, edits and operators request.
 *
 * @param costMicros micro-dollars of its sessions and triage shares ({@code items.budget.usd}), 0
 *     for no limit
 * @param tokens tokens of every kind of its sessions ({@code items.budget.tokens}), 0 for no limit
 */
public record ItemBudget(long costMicros, long tokens) {
  /** No limit. */
  public static final ItemBudget NONE = new ItemBudget(0, 0);

  /** The default: some seven snapshots that used up all their attempts. */
  public static final ItemBudget DEFAULT = new ItemBudget(10_000_000, 0);

  public ItemBudget {
    if (costMicros < 0 || tokens < 0) {
      throw new IllegalArgumentException(
          "items.budget.usd and items.budget.tokens must not be negative");
    }
  }

  /** Why no further session is paid for; null while some budget is left. */
  @Nullable String refuses(ItemState state) {
    if (costMicros > 0 && state.spentMicros() >= costMicros) {
      return refusal(dollars(state.spentMicros()) + " of " + dollars(costMicros) + " USD");
    }
    return tokens > 0 && state.tokensSpent() >= tokens
        ? refusal(state.tokensSpent() + " of " + tokens + " tokens")
        : null;
  }

  private static String refusal(String figures) {
    return "item budget: " + figures + " spent over its lifetime";
  }

  private static String dollars(long micros) {
    return BigDecimal.valueOf(micros, 6).stripTrailingZeros().toPlainString();
  }
}
