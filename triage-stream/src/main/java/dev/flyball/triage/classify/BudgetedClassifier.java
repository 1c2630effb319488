package dev.flyball.triage.classify;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/**
 * Asks a paid classifier only while the budgets of the day allow a call. Without this, a backlog
 * that changes all day would be judged on, call after call, long after sessions have stopped.
 *
 * <p>Where the budget of all tenants is spent the whole batch waits. A tenant's own budget holds
 * back that tenant's items alone: they are judged by rules, because to wait they would hold up the
 * items of others behind them.
 */
public final class BudgetedClassifier implements Classifier {
  /** How soon a budget is read again that was spent: an operator may raise it. */
  private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

  private final Classifier paid;
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
   * @param reserveMicros what one call may cost, in micro-dollars
   */
  public BudgetedClassifier(Classifier paid, Budgets budgets, long reserveMicros) {
    this.paid = paid;
    this.budgets = budgets;
    this.reserveMicros = reserveMicros;
  }

  @Override
  public String model() {
    return paid.model();
  }

  @Override
  public Answer classify(List<Question> batch) throws Exception {
    List<BudgetUse> uses = read();
    Optional<BudgetUse> spent = spent(uses, Scope.GLOBAL);
    if (spent.isPresent()) {
      throw unavailable(
          spent.get().text() + "; raise it with ./flyball budget, or wait for the next UTC day");
    }
    var asked = new ArrayList<Question>();
    var unasked = new HashMap<String, String>();
    for (Question question : batch) {
      spent(uses, Scope.tenant(question.item().tenant()))
          .ifPresentOrElse(
              use -> unasked.put(question.id(), use.text()), () -> asked.add(question));
    }
    Answer answer = asked.isEmpty() ? new Answer(List.of(), 0, 0) : paid.classify(asked);
    return new Answer(answer.judgements(), answer.costMicros(), answer.tokens(), unasked);
  }

  private List<BudgetUse> read() throws ModelFailure {
    try {
      return budgets.now();
    } catch (RuntimeException e) {
      throw unavailable("the budgets cannot be read: " + e.getMessage());
    }
  }

  private Optional<BudgetUse> spent(List<BudgetUse> uses, String scope) {
    return uses.stream()
        .filter(use -> use.scope().equals(scope))
        .filter(use -> use.exhausted() || use.leavesLessThan(reserveMicros))
        .findFirst();
  }

  private static ModelFailure unavailable(String reason) {
    return new ModelFailure(ModelFailure.Kind.UNAVAILABLE, reason, LOOK_AGAIN, 0L);
  }
}
