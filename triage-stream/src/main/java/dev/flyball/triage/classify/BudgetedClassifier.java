package dev.flyball.triage.classify;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.Dollars;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/**
 * Asks a paid classifier only while the budgets of the day allow a call beside what running
 * sessions reserve: a session would be ended for what triage spent of its reserve. Without this, a
 * backlog that changes all day would be judged on, call after call, long after sessions have
 * stopped.
 *
 * <p>Where the budget of all tenants is spent, the whole batch waits. The budget of one tenant
 * holds back its items alone: they are judged by rules, because to wait they would hold up the
 * items of others behind them.
 */
public final class BudgetedClassifier implements Classifier {
  /** How soon a budget is read again that was spent: an operator may raise it. */
  private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

  private final ModelClassifier paid;
  private final Budgets budgets;
  private final long reserveMicros;

  /** What is spent of each budget now. */
  @FunctionalInterface
  public interface Budgets {
    /**
     * Reads them.
     *
     * @throws RuntimeException if they cannot be read; the message is one line for a person
     */
    List<BudgetUse> now();
  }

  /**
   * Creates a classifier.
   *
   * @param reserveMicros what one call may cost, in micro-dollars; a batch gets as many calls as
   *     its budgets leave room for
   */
  public BudgetedClassifier(ModelClassifier paid, Budgets budgets, long reserveMicros) {
    this.paid = paid;
    this.budgets = budgets;
    this.reserveMicros = reserveMicros;
  }

  @Override
  public String model() {
    return paid.model();
  }

  @Override
  public String prompt() {
    return paid.prompt();
  }

  @Override
  public long unknownMicros() {
    return reserveMicros;
  }

  @Override
  public Answer classify(List<Question> batch) throws Exception {
    List<BudgetUse> uses = read();
    BudgetUse spent = spent(uses, Scope.GLOBAL).orElse(null);
    if (spent != null) {
      throw new ModelFailure(Kind.NO_BUDGET, why(spent), LOOK_AGAIN, 0L);
    }
    var asked = new ArrayList<Question>();
    var unasked = new HashMap<String, String>();
    for (Question question : batch) {
      String tenant = question.item().tenant();
      spent(uses, Scope.tenant(tenant))
          .ifPresentOrElse(use -> unasked.put(question.id(), why(use)), () -> asked.add(question));
    }
    Answer answer =
        asked.isEmpty() ? new Answer(List.of(), 0, 0) : paid.classify(asked, calls(uses, asked));
    return new Answer(answer.judgements(), answer.costMicros(), answer.tokens(), unasked);
  }

  private List<BudgetUse> read() throws ModelFailure {
    try {
      return budgets.now();
    } catch (RuntimeException e) {
      throw new ModelFailure(
          Kind.UNAVAILABLE, "the budgets cannot be read: " + e.getMessage(), LOOK_AGAIN, 0L);
    }
  }

  private Optional<BudgetUse> spent(List<BudgetUse> uses, String scope) {
    return uses.stream()
        .filter(use -> use.scope().equals(scope))
        .filter(use -> use.exhausted() || use.leavesLessThan(reserveMicros))
        .findFirst();
  }

  /** A budget that is too small for any call is spent on the next day too. */
  private String why(BudgetUse use) {
    Long daily = use.limits().dailyCostMicros();
    return daily != null && daily < reserveMicros
        ? "budget of "
            + use.scope()
            + ": "
            + Dollars.exact(daily)
            + " USD a day allow no triage call, which may cost "
            + Dollars.exact(reserveMicros)
            + " USD; raise it with ./flyball budget, or lower triage.budget.usd"
        : use.text()
            + (use.reservedMicros() > 0
                ? ", " + Dollars.exact(use.reservedMicros()) + " USD reserved by sessions"
                : "")
            + "; raise it with ./flyball budget, or wait for "
            + (use.reservedMicros() > 0 ? "their end" : "the next UTC day");
  }

  /**
   * How many calls the budgets leave room for. A tenant's among those of others does not count: it
   * would keep the others' items from being asked again.
   */
  private int calls(List<BudgetUse> uses, List<Question> asked) {
    List<String> scopes =
        asked.stream().map(each -> Scope.tenant(each.item().tenant())).distinct().toList();
    long calls = ModelClassifier.MOST_CALLS;
    for (BudgetUse use : uses) {
      Long daily = use.limits().dailyCostMicros();
      boolean pays = use.scope().equals(Scope.GLOBAL) || scopes.equals(List.of(use.scope()));
      if (pays && daily != null && reserveMicros > 0) {
        calls = Math.min(calls, (daily - use.spentMicros() - use.reservedMicros()) / reserveMicros);
      }
    }
    return (int) calls;
  }
}
