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
  private static final Limits SMALL = new Limits(100L, null);

  private final OneRunner runner = OneRunner.holding();

  @Test
  void aScopeThatNeverHadABudgetGetsItBeforeAnythingOfThisRunnerIsClaimed() {
    OneRunner paid = paid();
    paid.wants(OneRunner.CANDIDATE);
    assertThat(paid.until(LedgerEntry.Budget.class)).isEqualTo(OneRunner.TIMES.retry());
    var budget =
        new LedgerEntry.Budget(ACME, PAID, -1, "me", "the ledger had no budget of this scope");
    assertThat(paid.taken()).containsExactly(new Step.Append(budget));

    paid.read(budget);
    assertThat(paid.until(LedgerEntry.Claim.class)).isZero();
    assertThat(paid.taken()).hasSize(1);
  }

  @Test
  void aBudgetThatAnOperatorLiftedStaysLifted() {
    OneRunner paid = paid();
    paid.budget(ACME, Limits.NONE);
    paid.passAndTick(OneRunner.TIMES.retry());

    assertThat(paid.taken()).isEmpty();
  }

  @Test
  void theRenewalThatShowsTheSpendEndsItOnceAndItIsRenewedUntilItsTreeIsDead() {
    runner.budget(ACME, SMALL);
    runner.read(usage(MINE, 7, 99));
    assertThat(ends()).isEmpty();
    runner.read(usage(MINE, 7, 101));
    assertThat(ends())
        .containsExactly(
            new Step.End(MINE, "budget of tenant:acme: 0.000101 of 0.0001 USD spent today"));
    runner.read(usage(MINE, 7, 102));
    assertThat(ends()).isEmpty();
    assertThat(runner.until(LedgerEntry.Renew.class)).isEqualTo(OneRunner.TIMES.renew());
  }

  @Test
  void aKilledSessionIsNotEndedAsWell() {
    runner.budget(ACME, SMALL);
    runner.passAndTick(OneRunner.TIMES.lease());
    runner.read(usage(MINE, 7, 101));

    assertThat(ends()).isEmpty();
  }

  /** One with two budgets that has read the start of a ledger with one of them. */
  private static OneRunner paid() {
    var global = new LedgerEntry.ScopedLimits(Scope.GLOBAL, PAID);
    var acme = new LedgerEntry.ScopedLimits(ACME, PAID);
    var paid = new OneRunner(3, OneRunner.TIMES, List.of(global, acme));
    paid.caughtUp();
    assertThat(paid.appended(LedgerEntry.Budget.class)).as("before the seed").isEmpty();
    paid.read(new LedgerEntry.Init(3, OneRunner.TIMES.lease().toMillis(), List.of(global)));
    paid.taken();
    return paid;
  }

  private List<Step> ends() {
    return runner.taken().stream().filter(Step.End.class::isInstance).toList();
  }

  private static LedgerEntry.Renew usage(String session, long tokens, long costMicros) {
    return new LedgerEntry.Renew(99, List.of(new LedgerEntry.Usage(session, tokens, costMicros)));
  }
}
