package dev.flyball.triage.topology;

import static dev.flyball.contract.event.EventType.BUDGET_EXHAUSTED;
import static dev.flyball.contract.event.EventType.BUDGET_WARNED;
import static dev.flyball.triage.topology.DrivenStream.TOPICS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.triage.topology.LedgerProjector.BudgetWatch;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("INV-8: a budget is warned of once a UTC day, and said to be spent once")
final class BudgetEventsTest {
  private static final Instant MORNING = Instant.parse("2026-11-21T08:00:00Z");
  private static final String ACME = "tenant:acme";

  private final KeyValueStore<String, byte[]> store = DrivenStream.store();
  private final List<LifecycleEvent> events = new ArrayList<>();
  private BudgetWatch watch = new BudgetWatch(store);
  private LedgerState state = LedgerState.empty();
  private Instant time = MORNING;
  private int calls;

  BudgetEventsTest() {
    append(new LedgerEntry.Init(3, 45_000, List.of()));
    budget(1_000);
  }

  @Test
  void eachOnceHoweverManyEntriesFollow() {
    spend(799);
    assertThat(types()).isEmpty();
    spend(1);
    spend(1);
    spend(100);
    assertThat(types()).containsExactly(BUDGET_WARNED);
    spend(99);
    spend(500);
    assertThat(types()).containsExactly(BUDGET_WARNED, BUDGET_EXHAUSTED);

    LifecycleEvent warned = events.getFirst();
    assertThat(warned.data().text(Field.SCOPE)).contains(ACME);
    assertThat(warned.data().text(Field.TENANT)).contains("acme");
    assertThat(warned.data().text(Field.REASON))
        .contains("budget of tenant:acme: 0.0008 of 0.001 USD spent today");
    assertThat(warned.id()).isEqualTo("budget-tenant:acme-2026-11-21-warned");
  }

  @Test
  void aRestartSaysNothingAgain() {
    spend(800);
    watch = new BudgetWatch(store);
    spend(1);

    assertThat(types()).containsExactly(BUDGET_WARNED);
  }

  @Test
  void theNextDayIsAnotherOneAndAClockThatStepsBackIsNot() {
    spend(1_000);
    time = MORNING.plus(Duration.ofDays(1));
    spend(800);
    time = MORNING;
    spend(1);

    assertThat(types()).containsExactly(BUDGET_WARNED, BUDGET_EXHAUSTED, BUDGET_WARNED);
  }

  @Test
  void loweringABudgetBelowItsSpendIsSaid() {
    spend(700);
    budget(700);

    assertThat(types()).containsExactly(BUDGET_WARNED, BUDGET_EXHAUSTED);
  }

  @Test
  void tenantsAreSaidApart() {
    append(budgetOf("tenant:zeta", 1_000, -1));
    spend(800);
    append(new LedgerEntry.Spend("zeta", "z", 800, 0));

    assertThat(types()).containsExactly(BUDGET_WARNED, BUDGET_WARNED);
  }

  @Test
  void anExhaustedAccountIsSaidWithItsProviderAndAnOperatorsPauseIsNot() {
    String scope = "provider:anthropic";
    append(new LedgerEntry.Pause(scope, null, -1, "ann", "maintenance"));
    append(new LedgerEntry.Resume(scope, state.lastOperator(scope), "ann", ""));
    append(new LedgerEntry.Pause(scope, time.plusSeconds(60), state.lastOperator(scope), "r1", ""));
    assertThat(types()).isEmpty();

    String why = LedgerEntry.Pause.exhausted("credit balance is too low");
    append(new LedgerEntry.Pause(scope, null, state.lastOperator(scope), "r1", why));

    assertThat(types()).containsExactly(BUDGET_EXHAUSTED);
    assertThat(events.getFirst().data().text(Field.SCOPE)).contains(scope);
    assertThat(events.getFirst().data().text(Field.REASON)).contains(why);
  }

  @Test
  @DisplayName("the topology writes them, under the key of what belongs to no item")
  void theTopologyWritesThem(@TempDir Path folder) {
    try (var stream = new DrivenStream(folder)) {
      stream.ledger(budgetOf(ACME, 1_000, -1));
      stream.ledger(new LedgerEntry.Spend("acme", "a", 800, 0));
      stream.ledger(new LedgerEntry.Spend("acme", "a", 800, 0));

      assertThat(stream.drain(TOPICS.sessionEvents()))
          .singleElement()
          .satisfies(record -> {
            assertThat(record.key()).isEqualTo("-");
            var event = EventHeaders.read(record.headers(), record.value());
            assertThat(event.type()).isEqualTo(BUDGET_WARNED);
            assertThat(event.type().required()).allMatch(event.data()::has);
          });
      assertThat(stream.deadLetters()).isEmpty();
    }
  }

  private List<EventType> types() {
    return events.stream().map(LifecycleEvent::type).toList();
  }

  private void budget(long micros) {
    append(budgetOf(ACME, micros, state.lastOperator(ACME)));
  }

  private static LedgerEntry budgetOf(String scope, long micros, long seen) {
    return new LedgerEntry.Budget(scope, new Limits(micros, null), seen, "ann", "test");
  }

  private void spend(long micros) {
    append(new LedgerEntry.Spend("acme", "call" + ++calls, micros, 0));
  }

  private void append(LedgerEntry entry) {
    var folded = state.fold(entry, state.offset() + 1, time);
    state = folded.state();
    assertThat(folded.effect()).isInstanceOf(Effect.Changed.class);
    events.addAll(watch.due(entry, folded.effect(), state, time, time));
  }
}
