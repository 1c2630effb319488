package dev.flyball.runner.agent;

import dev.flyball.runner.agent.AgentSignal.Usage;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * What a model's provider charges, for agents that report tokens and no cost. Each price is in
 * micro-dollars for a million tokens.
 *
 * @param input of input that the provider had not cached
 * @param output of output, reasoning included
 * @param cached of input that the provider had cached
 */
public record TokenPrices(long input, long output, long cached) {
  private static final int MILLION = 6;

  public TokenPrices {
    if (input < 0 || output < 0 || cached < 0) {
      throw new IllegalArgumentException("prices must not be negative");
    }
  }

  /** Whether every token is free, as with a model on this machine. */
  public boolean free() {
    return input == 0 && output == 0 && cached == 0;
  }

  /** What these tokens cost, in micro-dollars, rounded up. */
  public Usage applied(Usage used) {
    BigDecimal cost =
        product(used.inputTokens(), input)
            .add(product(used.outputTokens(), output))
            .add(product(used.cachedTokens(), cached))
            .movePointLeft(MILLION)
            .setScale(0, RoundingMode.CEILING);
    return used.costing(cost.min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue());
  }

  private static BigDecimal product(long tokens, long price) {
    return BigDecimal.valueOf(tokens).multiply(BigDecimal.valueOf(price));
  }
}
