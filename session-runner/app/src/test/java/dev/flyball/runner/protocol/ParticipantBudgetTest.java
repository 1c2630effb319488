package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("INV-8: a running session ends when a budget that it runs on is spent")
class ParticipantBudgetTest {
  private static final String ACME = Scope.tenant("acme");
  private static final String MINE = "mine1";
  private static final Limits PAID = new Limits(20_000_000L, null);

  private final OneRunner runner = OneRunner.holding();

  @Test
  void aLedgerThatNeverHadABudgetGetsItBeforeAnythingOfThisRunnerIsClaimed() {
    OneRunner paid = paid();
    paid.wants(OneRunner.CANDIDATE);
    paid.passAndTick(OneRunner.TIMES.retry());
    List<Step> before = paid.taken();

    assertThat(before)
        .noneMatch(each -> each instanceof Step.Append a && a.entry() instanceof LedgerEntry.Claim);
    LedgerEntry.Budget budget =
        before.stream()
            .filter(Step.Append.class::isInstance)
            .map(each -> ((Step.Append) each).entry())
            .filter(LedgerEntry.Budget.class::isInstance)
            .map(LedgerEntry.Budget.class::cast)
            .findFirst()
            .orElseThrow();
    assertThat(budget.limits()).isEqualTo(PAID);

    paid.read(budget);
    paid.passAndTick(OneRunner.TIMES.retry());
    List<Step> after = paid.taken();
    assertThat(after)
        .anyMatch(each -> each instanceof Step.Append a && a.entry() instanceof LedgerEntry.Claim)
        .noneMatch(
            each -> each instanceof Step.Append a && a.entry() instanceof LedgerEntry.Budget);
  }

  @Test
  void aBudgetThatAnOperatorLiftedStaysLifted() {
    OneRunner paid = paid();
    paid.budget(Scope.GLOBAL, null, null);
    paid.taken();
    paid.passAndTick(OneRunner.TIMES.retry());

    assertThat(paid.appended(LedgerEntry.Budget.class)).isEmpty();
  }

  @Test
  void ownSpendEndsItWithTheRenewalThatShowsIt() {
    runner.budget(ACME, 100L, null);
    runner.read(usage(MINE, 7, 99));
    assertThat(ends()).isEmpty();

    runner.read(usage(MINE, 7, 101));
    assertThat(ends())
        .containsExactly(
            new Step.End(MINE, "budget of tenant:acme: 0.000101 of 0.0001 USD spent today"));
  }

  @Test
  void itIsEndedOnceAndRenewedUntilItsTreeIsDead() {
    runner.budget(ACME, 100L, null);
    runner.read(usage(MINE, 7, 101));
    assertThat(ends()).hasSize(1);
    runner.read(usage(MINE, 7, 102));
    assertThat(ends()).isEmpty();

    runner.passAndTick(OneRunner.TIMES.renew());
    assertThat(runner.appended(LedgerEntry.Renew.class)).hasSize(1);
  }

  /** One that is to seed a budget and has read the ledger's start. */
  private static OneRunner paid() {
    var paid =
        new OneRunner(
            3, OneRunner.TIMES, List.of(new LedgerEntry.ScopedLimits(Scope.GLOBAL, PAID)));
    paid.caughtUp();
    paid.read(new LedgerEntry.Init(3, OneRunner.TIMES.lease().toMillis(), List.of()));
    return paid;
  }

  private List<Step> ends() {
    return runner.taken().stream().filter(Step.End.class::isInstance).toList();
  }

  private static LedgerEntry.Renew usage(String session, long tokens, long costMicros) {
    return new LedgerEntry.Renew(99, List.of(new LedgerEntry.Usage(session, tokens, costMicros)));
  }
}
