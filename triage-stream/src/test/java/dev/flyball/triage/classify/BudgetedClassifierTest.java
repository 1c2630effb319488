package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("INV-8: a paid classifier is asked only while the budgets of the day allow a call")
final class BudgetedClassifierTest {
  private static final long RESERVE = 100;
  private static final Question ACME = question("q1", "acme/web/1");
  private static final Question OTHER = question("q2", "other/web/1");

  private static final Question ACME_2 = question("q3", "acme/web/2");
  private static final Question ACME_3 = question("q4", "acme/web/3");

  private final ScriptedModel model = new ScriptedModel();

  /** What was reserved for each tenant. */
  private final Map<String, Long> reserved = new HashMap<>();

  /** What was booked for each call: the cost of each tenant, and its tokens. */
  private final Map<String, List<Map<String, Long>>> booked = new HashMap<>();

  @ParameterizedTest
  @ValueSource(longs = {1000, 901})
  void theWholeBatchWaitsWhileTheBudgetOfAllTenantsLeavesLessThanACall(long spent) {
    assertFails(classifier(use(Scope.GLOBAL, spent)), Kind.NO_BUDGET, "");
  }

  @Test
  @DisplayName("what sessions reserve is not triage's to spend: they would be ended for it")
  void whatSessionsReserveIsNotSpent() throws Exception {
    assertFails(classifier(reserved(0, 901)), Kind.NO_BUDGET, "");

    model.bad = true;
    var _ = classifier(reserved(300, 500)).classify("b1", List.of(ACME, ACME_2, OTHER));
    assertThat(asked()).as("two calls fit").hasSize(2);
  }

  @Test
  void aTenantsSpentBudgetLeavesItsItemsToTheRulesAndTheCostToTheOthers() throws Exception {
    List<Question> batch = List.of(ACME, OTHER);
    Answer answer = classifier(use(Scope.tenant("acme"), 1000)).classify("b1", batch);

    assertThat(asked()).containsExactly(1);
    assertThat(answer.unasked()).containsOnlyKeys("q1");
    assertThat(answer.verdicts(batch, classifier(use(Scope.GLOBAL, 0)), "b"))
        .extracting(Verdict::model, Verdict::prompt, Verdict::costMicros)
        .containsExactly(
            tuple(RulesClassifier.MODEL, null, 0L),
            tuple("scripted", BatchPrompt.BUNDLED.version(), 1_000L));
  }

  @Test
  void aBatchOfSuchTenantsAloneCostsNoCall() throws Exception {
    Answer answer = classifier(use(Scope.tenant("acme"), 1000)).classify("b1", List.of(ACME));
    assertThat(asked()).isEmpty();
    assertThat(answer.costMicros()).isZero();
  }

  @Test
  void budgetsThatCannotBeReadLetNothingThrough() {
    var classifier =
        new BudgetedClassifier(
            paid(),
            new Known() {
              @Override
              public List<BudgetUse> now() {
                throw new IllegalStateException("away");
              }
            },
            RESERVE);
    assertFails(classifier, Kind.UNAVAILABLE, "away");
  }

  @Test
  @DisplayName("a budget below one call is not called spent: the next day would not help")
  void aBudgetThatIsTooSmallForAnyCallNamesTheKey() {
    var small = new BudgetUse(Scope.GLOBAL, new Limits(RESERVE - 1, null), 0, 0, 0);
    assertFails(classifier(small), Kind.NO_BUDGET, "triage.budget.usd");
  }

  @ParameterizedTest(name = "{0} spent of 1000: {1} calls")
  @CsvSource({"900, 1", "801, 1", "800, 2", "0, 2"})
  @DisplayName("a batch that is answered badly is asked for again only as far as budgets allow")
  void theCallsOfABatchFitInTheBudget(long spent, int calls) throws Exception {
    model.bad = true;
    var _ = classifier(use(Scope.GLOBAL, spent)).classify("b1", List.of(ACME, ACME_2, OTHER));
    assertThat(asked()).hasSize(calls);

    asked().clear();
    var _ =
        classifier(use(Scope.tenant("acme"), spent)).classify("b1", List.of(ACME, ACME_2, ACME_3));
    assertThat(asked()).hasSize(calls);
  }

  @ParameterizedTest(name = "{0} spent of 1000: {1} items asked")
  @CsvSource({"867, 1", "866, 3", "0, 3"})
  @DisplayName("a tenant that cannot pay its share holds nothing of the others' back")
  void aTenantThatCannotPayItsShareIsLeftOut(long spent, int items) throws Exception {
    Answer answer =
        classifier(use(Scope.tenant("acme"), spent)).classify("b1", List.of(ACME, ACME_2, OTHER));
    assertThat(asked()).containsExactly(items);
    assertThat(answer.unasked()).hasSize(3 - items);
    assertThat(reserved.values().stream().mapToLong(each -> each).sum()).isEqualTo(2 * RESERVE);
    assertThat(reserved.getOrDefault("acme", 0L)).isLessThanOrEqualTo(1000 - spent);
  }

  @Test
  @DisplayName("money that a session took since the budgets were read is not spent too")
  void aReserveWithoutEffectAsksNothing() {
    var classifier =
        new BudgetedClassifier(
            paid(),
            new Known(use(Scope.GLOBAL, 0)) {
              @Override
              public boolean reserve(String call, Map<String, Long> micros) {
                return false;
              }
            },
            RESERVE);
    assertFails(classifier, Kind.NO_BUDGET, "");
  }

  @Test
  @DisplayName("each tenant pays its items' shares of the cost and the tokens")
  void whatACallCostIsBookedToTheTenants() throws Exception {
    var _ = classifier().classify("b1", List.of(ACME, OTHER, ACME_2));
    assertThat(booked)
        .containsExactly(
            entry(
                "b1",
                List.of(Map.of("acme", 667L, "other", 333L), Map.of("acme", 10L, "other", 5L))));
  }

  @Test
  @DisplayName("a failed call is booked at its cost; at its reserve if that is unknown")
  void aFailedCallIsBooked() {
    model.down = new ModelFailure(Kind.UNCLEAR, "connection reset", null, 70L, 3);
    assertThatThrownBy(() -> classifier().classify("b1", List.of(ACME)))
        .isInstanceOf(ModelFailure.class);
    model.down = new ModelFailure(Kind.UNCLEAR, "connection reset", null, null);
    assertThatThrownBy(() -> classifier().classify("b2", List.of(ACME)))
        .isInstanceOf(ModelFailure.class);
    assertThat(booked)
        .containsOnly(
            entry("b1", List.of(Map.of("acme", 70L), Map.of("acme", 3L))),
            entry("b2", List.of(Map.of("acme", RESERVE), Map.of("acme", 0L))));
  }

  @Test
  @DisplayName("a call that is cut off books nothing: the ledger books its reserve (ReservesTest)")
  void aCallThatIsCutOffKeepsItsReserve() {
    model.cut = true;
    assertThatThrownBy(() -> classifier().classify("b1", List.of(ACME)))
        .isInstanceOf(InterruptedException.class);
    assertThat(reserved).containsExactly(entry("acme", 2 * RESERVE));
    assertThat(booked).isEmpty();
  }

  /** Nothing is asked, and nothing was spent. */
  private void assertFails(BudgetedClassifier classifier, Kind kind, String reason) {
    assertThatThrownBy(() -> classifier.classify("b1", List.of(ACME, OTHER)))
        .hasMessageContaining(reason)
        .isInstanceOfSatisfying(
            ModelFailure.class,
            it -> {
              assertThat(it.kind()).isEqualTo(kind);
              assertThat(it.costMicros()).isZero();
            });
    assertThat(asked()).isEmpty();
  }

  private BudgetedClassifier classifier(BudgetUse... uses) {
    return new BudgetedClassifier(paid(), new Known(uses), RESERVE);
  }

  private class Known implements BudgetedClassifier.Budgets {
    private final List<BudgetUse> uses;

    Known(BudgetUse... uses) {
      this.uses = List.of(uses);
    }

    @Override
    public List<BudgetUse> now() {
      return uses;
    }

    @Override
    public boolean reserve(String call, Map<String, Long> micros) {
      reserved.putAll(micros);
      return true;
    }

    @Override
    public void book(String call, Map<String, Long> micros, Map<String, Long> tokens) {
      booked.put(call, List.of(micros, tokens));
    }
  }

  /** How many items each call had. */
  private List<Integer> asked() {
    return model.sizes();
  }

  private ModelClassifier paid() {
    return new ModelClassifier(
        model, BatchPrompt.BUNDLED, RESERVE, 5_000, () -> UUID.randomUUID().toString());
  }

  private static BudgetUse use(String scope, long spent) {
    return new BudgetUse(scope, new Limits(1000L, null), spent, 0, 0);
  }

  private static BudgetUse reserved(long spent, long reserved) {
    return new BudgetUse(Scope.GLOBAL, new Limits(1000L, null), spent, 0, reserved);
  }

  private static Question question(String id, String item) {
    return new Question(id, ItemKey.parse(item), Sample.snapshot());
  }
}
