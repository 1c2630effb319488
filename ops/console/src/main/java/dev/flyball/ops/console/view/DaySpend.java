package dev.flyball.ops.console.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was spent on this UTC day, by the ledger, and what was saved.
 *
 * @param todayMicros micro-dollars of the tenants that the reader sees
 * @param todayTokens tokens
 * @param budgets the scopes that have a limit
 * @param savedMicros what dedup and triage have saved since the projection began, an estimate, by
 *     {@code dedup} and {@code triage}
 */
public record DaySpend(
    long todayMicros, long todayTokens, List<Budget> budgets, Map<String, Long> savedMicros) {
  public DaySpend {
    budgets = List.copyOf(budgets);
    savedMicros = Map.copyOf(savedMicros);
  }

  /**
   * A scope's budget of the day; null means no limit.
   *
   * @param scope global, tenant:T, source:T/S or provider:P
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Budget(
      String scope,
      long spentMicros,
      @Nullable Long limitMicros,
      long spentTokens,
      @Nullable Long limitTokens) {}
}
