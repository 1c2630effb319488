package dev.flyball.ops.telemetry;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.WhyNot;
import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.telemetry.Health.Condition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Why sessions do not start although everything works: what the ledger pauses and has spent. */
public final class LedgerHealth {
  /** The code of a pause. */
  public static final String PAUSE = "pause";

  /** Most reasons of one kind that are listed; the rest is counted. */
  private static final int LISTED = 5;

  private LedgerHealth() {}

  /**
   * The pauses in force and the spent budgets, a line each; degraded if there are any.
   *
   * @param reserve the least that a session which costs money reserves, in micro-dollars; a budget
   *     that leaves less is spent
   * @param now the wall clock: a pause may end at a time, and a budget is of a UTC day
   */
  public static Health of(LedgerState ledger, long reserve, Instant now) {
    List<Condition> pauses =
        ledger.pauses(now).stream()
            .map(pause -> new Condition(PAUSE, pause.scope(), line(pause)))
            .toList();
    List<Condition> budgets =
        ledger.budgets(now).stream()
            .filter(use -> use.spent(reserve, ledger.live(use.scope())))
            .map(use -> new Condition("budget", use.scope(), line(use, reserve)))
            .toList();
    return listed(pauses, "pauses").and(listed(budgets, "spent budgets"));
  }

  /**
   * What live runners decline because of faults in them, a line each; degraded if there is any.
   *
   * @param now near the broker's clock: a runner that was not heard for two leases is not live
   */
  public static Health ofRunners(LedgerState ledger, Instant now) {
    List<Condition> faults =
        ledger.live(now).stream()
            .flatMap(runner ->
                runner.declined().stream()
                    .map(each ->
                        new Condition(
                            each.code(),
                            runner.id() + " " + each.profile() + " " + each.source(),
                            OneLine.of("runner " + runner.id() + ": " + each.text()))))
            .toList();
    return listed(faults, "faults of runners");
  }

  /** One line of a pause: its scope, who paused it, until when, and why. */
  public static String line(LedgerEntry.Pause pause) {
    return OneLine.of(new WhyNot.Paused(pause).text());
  }

  private static String line(BudgetUse use, long reserve) {
    return use.exhausted()
        ? use.text()
        : use.text() + ", less is left than the " + Dollars.exact(reserve) + " USD of a session";
  }

  private static Health listed(List<Condition> all, String kind) {
    if (all.size() <= LISTED) {
      return Health.degraded(all);
    }
    var some = new ArrayList<>(all.subList(0, LISTED));
    String more = (all.size() - LISTED) + " more " + kind;
    some.add(new Condition(all.getFirst().code(), "more", more));
    return Health.degraded(some);
  }
}
