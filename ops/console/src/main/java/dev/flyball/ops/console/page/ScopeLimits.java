package dev.flyball.ops.console.page;

import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.ops.console.view.DaySpend;
import dev.flyball.ops.console.view.ScopeCap;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What limits the sessions of scopes: caps, and the budgets of the UTC day.
 *
 * @param caps the global one among them
 */
public record ScopeLimits(List<ScopeCap> caps, List<DaySpend.Budget> budgets) {
  private static final double WARN = 0.8;

  public ScopeLimits {
    caps = List.copyOf(caps);
    budgets = List.copyOf(budgets);
  }

  /** One row for each limit, without the global cap: the page's first figure is that one. */
  public List<Row> rows() {
    return Stream.concat(
            caps.stream().filter(it -> !it.scope().equals(Scope.GLOBAL)).map(ScopeLimits::row),
            budgets.stream().map(ScopeLimits::row))
        .toList();
  }

  /** The budget that limits all that the viewer sees: the global one, else a tenant's only one. */
  DaySpend.@Nullable Budget overall() {
    return budgets.stream()
        .filter(it -> it.scope().equals(Scope.GLOBAL))
        .findFirst()
        .orElseGet(() ->
            budgets.size() == 1 && budgets.getFirst().scope().startsWith("tenant:")
                ? budgets.getFirst()
                : null);
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

  /**
   * What sessions and triage cost, in micro-dollars.
   *
   * @param micros since the begin of the UTC day if {@code today}, else since the projection began
   * @param limitMicros what the day may cost; null without a budget
   * @param savedMicros estimate of what triage and known snapshots did not cost, in the same time
   */
  public record Spend(boolean today, long micros, @Nullable Long limitMicros, long savedMicros) {

    /**
     * The spend of the UTC day by the ledger if it has a budget, else by the metric windows; the
     * overall spend if there are none.
     */
    public static Spend of(
        List<MetricWindow> windows, long overall, ScopeLimits limits, Instant now) {
      Instant day = now.truncatedTo(ChronoUnit.DAYS);
      List<MetricWindow> today = windows.stream().filter(it -> !it.start().isBefore(day)).toList();
      long saved = today.stream().mapToLong(MetricWindow::savedMicros).sum();
      DaySpend.Budget budget = limits.overall();
      if (budget != null && budget.limitMicros() != null) {
        return new Spend(true, budget.spentMicros(), budget.limitMicros(), saved);
      }
      return windows.isEmpty()
          ? new Spend(false, overall, null, 0)
          : new Spend(true, today.stream().mapToLong(MetricWindow::costMicros).sum(), null, saved);
    }

    /** The budget, for example {@code of $20.00}; empty without one. */
    public String limit() {
      return limitMicros == null ? "" : "of " + Display.dollars(limitMicros);
    }

    /** The name of the figure. */
    public String name() {
      return today ? "Spent today" : "Spent";
    }

    /** The line below it. */
    public String detail() {
      return today ? "saved about " + Display.dollars(savedMicros) : "since the first record";
    }
  }
}
