package dev.flyball.contract.ledger;

import static dev.flyball.contract.ledger.LedgerStory.NOON;
import static dev.flyball.contract.ledger.LedgerStory.claimOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("INV-8: a budget warns at 80 %, and ends what runs on it at 100 %")
class BudgetUseTest {
  private static final String ACME = Scope.tenant("acme");
  private static final String ITEM = "acme/web/1";

  private final LedgerStory story = LedgerStory.withCap(4);

  @ParameterizedTest(name = "{0} spent of {1}: warns {2}, exhausted {3}")
  @CsvSource({
    "0, 0, false, false",
    "79, 100, false, false",
    "80, 100, true, false",
    "99, 100, true, false",
    "100, 100, true, true",
    "2, 3, false, false",
    "3, 3, true, true",
    "799999999999999, 1000000000000000, false, false",
    "9223372036854775807, 1000000000000000, true, true",
  })
  void bothKindsWarnAndEndAlike(long spent, long limit, boolean warns, boolean exhausted) {
    var dollars = new BudgetUse(ACME, new Limits(limit, null), spent, 0, 0);
    var tokens = new BudgetUse(ACME, new Limits(null, limit), 0, spent, 0);

    assertThat(dollars.warns()).isEqualTo(tokens.warns()).isEqualTo(warns);
    assertThat(dollars.exhausted()).isEqualTo(tokens.exhausted()).isEqualTo(exhausted);
  }

  @Test
  void spendOfRunningSessionsCountsByTheirRenewals() {
    story.budget(ACME, 1_000_000L, null);
    story.append(claimOf("s1", "r1", ITEM, 11, 1, 600_000));
    story.usage("s1", 10, 800_000);

    assertThat(story.state().budgets(NOON))
        .singleElement()
        .satisfies(use -> assertThat(use.warns()).isTrue())
        .extracting(BudgetUse::text)
        .isEqualTo("budget of tenant:acme: 0.8 of 1 USD spent today");
    assertThat(over("s1")).isFalse();

    story.usage("s1", 10, 1_000_000);
    assertThat(over("s1")).isTrue();
  }

  @Test
  void tokensEndASessionThatSaysNoCost() {
    story.budget(Scope.GLOBAL, null, 1_000L);
    story.claim("s1", "r1", ITEM);
    story.usage("s1", 999, 0);
    assertThat(over("s1")).isFalse();

    story.usage("s1", 1_000, 0);
    assertThat(over("s1")).isTrue();
  }

  @Test
  void theBudgetOfAnotherTenantOrAnotherDayEndsNothing() {
    story.budget(Scope.tenant("zeta"), 1L, null);
    story.budget(ACME, 1_000L, null);
    story.append(claimOf("s1", "r1", ITEM, 11, 1, 600));
    story.append(new LedgerEntry.Spend("zeta", "b1", 500, 0));
    story.append(new LedgerEntry.Spend("acme", "b2", 1_000, 0));
    assertThat(over("s1")).isTrue();

    story.at(NOON.plusSeconds(86_400));
    assertThat(over("s1")).isFalse();
  }

  @ParameterizedTest(name = "{0} spent, {1} reserved")
  @CsvSource({"999, 0", "1000, 0", "1001, 0", "999, 1", "1000, 1", "1001, 1"})
  @DisplayName("no session is ended that could be claimed again immediately")
  void whatIsEndedCouldNotStart(long spent, long reserve) {
    story.append(claimOf("s1", "r1", ITEM, 11, 1, reserve));
    story.budget(ACME, 1_000L, null);
    story.append(new LedgerEntry.Spend("acme", "b", spent, 0));
    boolean ended = over("s1");
    story.release("s1");

    boolean refused =
        story.state().whyNot(claimOf("s2", "r2", ITEM, 11, 1, reserve), NOON).isPresent();

    assertThat(ended).isEqualTo(spent > 1_000 || (spent == 1_000 && reserve > 0));
    if (ended) {
      assertThat(refused).isTrue();
    }
  }

  @ParameterizedTest(name = "{0} spent, {1} reserved")
  @CsvSource({"1, 400", "600, 400", "601, 400", "999, 1", "1000, 1", "999, 0"})
  @DisplayName("a budget is spent as soon as the next claim on it has no effect")
  void aBudgetIsSpentWhereTheNextClaimHasNoEffect(long spent, long reserve) {
    story.budget(ACME, 1_000L, null);
    story.append(claimOf("s1", "r1", ITEM, 11, 1, reserve));
    story.append(new LedgerEntry.Spend("acme", "b", spent, 0));
    assertThat(isSpent(reserve)).isEqualTo(spent >= 1_000);
    story.release("s1");

    var next = claimOf("s2", "r2", "acme/web/2", 12, 2, reserve);

    assertThat(isSpent(reserve)).isEqualTo(story.state().whyNot(next, NOON).isPresent());
  }

  @Test
  void theSmallestReserveOfWhatCostsMoneyDecides() {
    assertThat(BudgetUse.leastReserve(Map.of("free", 0L, "small", 5L, "big", 9L))).isEqualTo(5);
    assertThat(BudgetUse.leastReserve(Map.of("free", 0L))).isZero();
  }

  private boolean isSpent(long reserve) {
    return story.state().budgets(NOON).stream()
        .anyMatch(use -> use.spent(reserve, story.state().live(use.scope())));
  }

  private boolean over(String session) {
    Lease lease = story.state().lease(session).orElseThrow();
    return story.state().overBudget(lease, story.time()).isPresent();
  }
}
