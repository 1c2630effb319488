package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("INV-8: a paid classifier is asked only while the budgets of the day allow a call")
final class BudgetedClassifierTest {
  private static final long RESERVE = 100;
  private static final Question ACME = question("q1", "acme/web/1");
  private static final Question OTHER = question("q2", "other/web/1");

  private final List<String> asked = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(longs = {1000, 901})
  void theWholeBatchWaitsWhileTheBudgetOfAllTenantsLeavesLessThanACall(long spent) {
    assertThatThrownBy(() -> classifier(use(Scope.GLOBAL, spent)).classify(List.of(ACME, OTHER)))
        .isInstanceOfSatisfying(
            ModelFailure.class,
            it -> assertThat(it.kind()).isEqualTo(ModelFailure.Kind.UNAVAILABLE));
    assertThat(asked).isEmpty();
  }

  @Test
  void aCallThatTheBudgetCanPayIsMade() throws Exception {
    classifier(use(Scope.GLOBAL, 900)).classify(List.of(ACME, OTHER));
    assertThat(asked).containsExactly("q1", "q2");
  }

  @Test
  void aTenantsSpentBudgetLeavesItsItemsToTheRulesAndTheCostToTheOthers() throws Exception {
    List<Question> batch = List.of(ACME, OTHER);
    Answer answer = classifier(use(Scope.tenant("acme"), 1000)).classify(batch);

    assertThat(asked).containsExactly("q2");
    assertThat(answer.unasked()).containsOnlyKeys("q1");
    assertThat(CheckedAnswer.verdicts(batch, answer, "paid", "b"))
        .extracting(Verdict::model, Verdict::costMicros)
        .containsExactly(tuple(RulesClassifier.MODEL, 0L), tuple("paid", 30L));
  }

  @Test
  void aBatchOfSuchTenantsAloneCostsNoCall() throws Exception {
    Answer answer = classifier(use(Scope.tenant("acme"), 1000)).classify(List.of(ACME));
    assertThat(asked).isEmpty();
    assertThat(answer.costMicros()).isZero();
  }

  @Test
  void budgetsThatCannotBeReadLetNothingThrough() {
    var classifier =
        new BudgetedClassifier(
            new Paid(),
            () -> {
              throw new IllegalStateException("away");
            },
            RESERVE);
    assertThatThrownBy(() -> classifier.classify(List.of(ACME))).isInstanceOf(ModelFailure.class);
    assertThat(asked).isEmpty();
  }

  private BudgetedClassifier classifier(BudgetUse... uses) {
    return new BudgetedClassifier(new Paid(), () -> List.of(uses), RESERVE);
  }

  private static BudgetUse use(String scope, long spent) {
    return new BudgetUse(scope, new Limits(1000L, null), spent, 0);
  }

  private static Question question(String id, String item) {
    return new Question(id, ItemKey.parse(item), Sample.snapshot());
  }

  private final class Paid implements Classifier {
    @Override
    public String model() {
      return "paid";
    }

    @Override
    public Answer classify(List<Question> batch) {
      batch.forEach(question -> asked.add(question.id()));
      return new Answer(
          batch.stream()
              .map(question -> new Judgement(question.id(), true, 3, List.of(), 1, "r"))
              .toList(),
          30,
          3);
    }
  }
}
