package dev.flyball.ops.console.page;

import dev.flyball.contract.ledger.Scope;
import dev.flyball.ops.console.view.Summary.DaySpend;
import dev.flyball.ops.console.view.Summary.ScopeCap;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What limits the sessions of scopes: caps, and the budgets of the UTC day.
 *
 * @param caps the global one among them
 * @param today what was spent, and the budgets
 */
public record ScopeLimits(List<ScopeCap> caps, DaySpend today) {
  private static final double WARN = 0.8;

  public ScopeLimits {
    caps = List.copyOf(caps);
  }

  /** One row for each limit, without the global cap: the page's first figure is that one. */
  public List<Row> rows() {
    return Stream.concat(
            caps.stream().filter(it -> !it.scope().equals(Scope.GLOBAL)).map(ScopeLimits::row),
            today.budgets().stream().map(ScopeLimits::row))
        .toList();
  }

  /** What was spent today. */
  public String spent() {
    return Display.dollars(today.todayMicros());
  }

  /**
   * What may be spent today, for example {@code of $20.00}: by the global budget, else by that of
   * the only tenant that the viewer sees; empty without one.
   */
  public String limit() {
    List<DaySpend.Budget> budgets = today.budgets();
    return budgets.stream()
        .filter(it ->
            it.scope().equals(Scope.GLOBAL)
                || (budgets.size() == 1 && it.scope().startsWith("tenant:")))
        .findFirst()
        .map(DaySpend.Budget::limitMicros)
        .map(micros -> "of " + Display.dollars(micros))
        .orElse("");
  }

  private static Row row(ScopeCap cap) {
    Integer live = cap.live();
    return new Row(
        cap.scope(),
        "cap",
        live == null ? "-" : Display.grouped(live),
        Display.grouped(cap.cap()),
        live != null && live >= cap.cap());
  }

  private static Row row(DaySpend.Budget budget) {
    Long micros = budget.limitMicros();
    Long tokens = budget.limitTokens();
    boolean near =
        (micros != null && budget.spentMicros() >= WARN * micros)
            || (tokens != null && budget.spentTokens() >= WARN * tokens);
    return new Row(
        budget.scope(),
        "budget today",
        both(
            micros == null ? null : Display.dollars(budget.spentMicros()),
            tokens == null ? null : Display.count(budget.spentTokens())),
        both(
            micros == null ? null : Display.dollars(micros),
            tokens == null ? null : Display.count(tokens) + " tokens"),
        near);
  }

  private static String both(@Nullable String dollars, @Nullable String tokens) {
    return String.join(
        ", ", Stream.of(dollars, tokens).filter(it -> it != null).map(String::valueOf).toList());
  }

  /**
   * One limit.
   *
   * @param kind cap or budget
   * @param near whether it is reached, or a budget nearly
   */
  public record Row(String scope, String kind, String used, String limit, boolean near) {
    /** Whether it is a cap, which can be changed here. */
    public boolean isCap() {
      return kind.equals("cap");
    }
  }
}
