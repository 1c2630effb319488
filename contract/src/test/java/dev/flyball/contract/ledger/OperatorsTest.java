package dev.flyball.contract.ledger;

import static dev.flyball.contract.ledger.LedgerStory.NOON;
import static dev.flyball.contract.ledger.LedgerStory.claimOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Caps, pauses, budgets and spend. INV-8. */
class OperatorsTest {
  private static final String A = "acme/web/1";
  private static final String B = "acme/web/2";

  private final LedgerStory story = LedgerStory.withCap(4);

  @Test
  void aCommandThatMissedAnotherOfItsScopeHasNoEffect() {
    long seen = story.state().lastOperator(Scope.GLOBAL);
    story.cap(Scope.GLOBAL, 1);

    Effect late = story.append(new LedgerEntry.Cap(Scope.GLOBAL, 99, seen, "bob", "late"));

    assertThat(late).isInstanceOf(Effect.None.class);
    assertThat(story.state().cap()).isOne();
  }

  @Test
  void aRepeatedCommandUndoesNothing() {
    var pause = new LedgerEntry.Pause(Scope.tenant("acme"), null, -1, "ann", "test");
    story.append(pause);
    story.resume(Scope.tenant("acme"));

    assertThat(story.append(pause)).isInstanceOf(Effect.None.class);
    assertThat(story.state().pauses(NOON)).isEmpty();
  }

  @Test
  void aRemovedCapHoldsUpNothingAndIsNotListed() {
    String acme = Scope.tenant("acme");
    story.cap(acme, 0);
    assertThat(story.state().whyNot(claimOf("s", "r", A), NOON)).isPresent();

    story.cap(acme, ClaimRule.NO_CAP);

    assertThat(story.state().whyNot(claimOf("s", "r", A), NOON)).isEmpty();
    assertThat(story.state().cap(acme)).isEmpty();
    assertThat(story.state().capped()).containsExactly(Scope.GLOBAL);
    story.cap(acme, 2);
    assertThat(story.state().cap(acme)).contains(2);
  }

  /** Without this a number that an older version folds as a cap would be 0 for a newer one. */
  @Test
  void theGlobalCapIsAlwaysANumber() {
    story.cap(Scope.GLOBAL, ClaimRule.NO_CAP);

    assertThat(story.state().cap()).isEqualTo(ClaimRule.NO_CAP);
    assertThat(story.state().capped()).containsExactly(Scope.GLOBAL);
  }

  @Test
  void commandsOfOtherScopesDoNotMatter() {
    story.cap(Scope.tenant("acme"), 1);

    assertThat(story.append(new LedgerEntry.Cap(Scope.tenant("zeta"), 1, -1, "ann", "test")))
        .isInstanceOf(Effect.Changed.class);
  }

  @Test
  void aPauseStopsClaimsOfItsScopeUntilResumed() {
    for (String scope :
        List.of(
            Scope.GLOBAL,
            Scope.tenant("acme"),
            Scope.source("acme/web"),
            Scope.provider("anthropic"))) {
      story.pause(scope, null);
      assertThat(story.state().whyNot(claimOf("s", "r", A), NOON))
          .contains(new WhyNot.Paused(scope, null, "ann", "test"));
      story.resume(scope);
      assertThat(story.state().whyNot(claimOf("s", "r", A), NOON)).isEmpty();
    }
  }

  @Test
  void aPauseWithAnEndEndsByAppendTime() {
    story.pause(Scope.GLOBAL, NOON.plusSeconds(60));

    assertThat(story.at(NOON.plusSeconds(59)).claim("s1", "r1", A)).isInstanceOf(Effect.None.class);
    assertThat(story.state().pauses(NOON.plusSeconds(59))).hasSize(1);
    assertThat(story.state().pauses(NOON.plusSeconds(60))).isEmpty();
    assertThat(story.at(NOON.plusSeconds(60)).claim("s2", "r1", A))
        .isInstanceOf(Effect.Claimed.class);
  }

  @Test
  void resumingWhatIsNotPausedHasNoEffect() {
    assertThat(story.resume(Scope.GLOBAL)).isInstanceOf(Effect.None.class);
  }

  @Test
  void initSeedsBudgetsAndAnOperatorBeforeInitKeepsHisWord() {
    var empty = new LedgerStory();
    empty.cap(Scope.GLOBAL, 1);
    empty.append(
        new LedgerEntry.Init(
            9,
            45_000,
            List.of(new LedgerEntry.ScopedLimits(Scope.tenant("acme"), new Limits(7L, null)))));

    assertThat(empty.state().cap()).isOne();
    assertThat(empty.state().limits(Scope.tenant("acme")).dailyCostMicros()).isEqualTo(7);
  }

  @Test
  void aPauseBeforeInitSaysNothingOfTheCapAndCanBeResumedByWhoSawIt() {
    var empty = new LedgerStory();
    empty.pause(Scope.GLOBAL, null);
    long seen = empty.state().lastOperator(Scope.GLOBAL);
    empty.append(new LedgerEntry.Init(9, 45_000, List.of()));

    assertThat(empty.state().cap()).isEqualTo(9);
    assertThat(empty.append(new LedgerEntry.Resume(Scope.GLOBAL, seen, "anna", "")))
        .isInstanceOf(Effect.Changed.class);
  }

  @Test
  void aReserveMustFitIntoWhatIsLeft() {
    story.budget(Scope.tenant("acme"), 1_000L, null);
    story.append(claimOf("s1", "r1", A, 11, 1, 600));

    assertThat(story.append(claimOf("s2", "r2", B, 11, 1, 401)))
        .isEqualTo(
            new Effect.None(
                "budget of tenant:acme: 0 USD spent, 0.0006 USD reserved,"
                    + " 0.000401 USD asked, 0.001 USD a day"));
    assertThat(story.append(claimOf("s3", "r2", B, 11, 1, 400))).isInstanceOf(Effect.Claimed.class);
  }

  @Test
  void aReserveCountsOnlyAgainstItsScopesBudgets() {
    story.budget(Scope.tenant("acme"), 1_000L, null);
    story.append(claimOf("s1", "r1", "zeta/web/1", 11, 1, 600));
    assertThat(story.append(claimOf("s2", "r2", A, 11, 1, 600))).isInstanceOf(Effect.Claimed.class);
    assertThat(story.append(claimOf("s3", "r3", B, 11, 1, 401))).isInstanceOf(Effect.None.class);
    assertThat(story.append(claimOf("s4", "r3", B, 11, 1, 400))).isInstanceOf(Effect.Claimed.class);
  }

  @Test
  void spendOfARunningSessionReplacesItsReserve() {
    story.budget(Scope.GLOBAL, 1_000L, null);
    story.append(claimOf("s1", "r1", A, 11, 1, 600));
    story.usage("s1", 0, 200);
    assertThat(story.state().spentMicros(Scope.GLOBAL, NOON)).isEqualTo(200);
    assertThat(story.state().whyNot(claimOf("s2", "r2", B, 11, 1, 400), NOON)).isEmpty();

    story.usage("s1", 0, 900);
    assertThat(story.state().whyNot(claimOf("s2", "r2", B, 11, 1, 101), NOON)).isPresent();
    assertThat(story.state().whyNot(claimOf("s2", "r2", B, 11, 1, 100), NOON)).isEmpty();
  }

  @Test
  void aReleaseBooksTheRestAndFreesTheReserve() {
    story.budget(Scope.GLOBAL, 1_000L, null);
    story.append(claimOf("s1", "r1", A, 11, 1, 1_000));
    story.usage("s1", 0, 200);
    story.release("s1", 300);

    assertThat(story.state().spentMicros(Scope.GLOBAL, NOON)).isEqualTo(300);
    assertThat(story.state().whyNot(claimOf("s2", "r2", B, 11, 1, 700), NOON)).isEmpty();
  }

  @Test
  void tokensOfARunningSessionAreBookedOnce() {
    story.claim("s1", "r1", A);
    story.usage("s1", 100, 0);
    story.usage("s1", 250, 0);
    story.release("s1");

    assertThat(story.state().spentTokens(Scope.GLOBAL, NOON)).isEqualTo(250);
    assertThat(story.state().spentTokens(Scope.tenant("zeta"), NOON)).isZero();
  }

  @Test
  void aTokenBudgetStopsClaimsOnceItIsSpent() {
    story.budget(Scope.GLOBAL, null, 1_000L);
    story.append(new LedgerEntry.Spend("acme", "b1", 0, 999));
    assertThat(story.state().whyNot(claimOf("s", "r", A), NOON)).isEmpty();

    story.append(new LedgerEntry.Spend("acme", "b2", 0, 1));
    assertThat(story.state().whyNot(claimOf("s", "r", A), NOON))
        .contains(new WhyNot.OverBudget(Scope.GLOBAL, "1000 of 1000 tokens a day"));
  }

  @Test
  void aSpendCountsOnceByItsRef() {
    var spend = new LedgerEntry.Spend("acme", "b1", 500, 10);
    story.append(spend);

    assertThat(story.append(spend)).isInstanceOf(Effect.None.class);
    assertThat(story.state().spentMicros(Scope.tenant("acme"), NOON)).isEqualTo(500);
    assertThat(story.state().spentMicros(Scope.GLOBAL, NOON)).isEqualTo(500);
  }

  @Test
  void aRepeatIsKnownThroughTheLastTwoThousandRefsAndMemoryIsBounded() {
    story.append(new LedgerEntry.Spend("acme", "first", 1, 0));
    LongStream.range(0, Spending.REFS_KEPT - 1)
        .forEach(i -> story.append(new LedgerEntry.Spend("acme", "ref" + i, 1, 0)));
    assertThat(story.append(new LedgerEntry.Spend("acme", "first", 1, 0)))
        .isInstanceOf(Effect.None.class);

    // The first of a generation, and one that is known only through the generation before it.
    for (String ref : List.of("turn", "first", "ref" + (Spending.REFS_KEPT - 2))) {
      story.append(new LedgerEntry.Spend("acme", ref, 1, 0));
      assertThat(story.append(new LedgerEntry.Spend("acme", ref, 1, 0)))
          .as(ref)
          .isInstanceOf(Effect.None.class);
    }
    assertThat(story.state().spentMicros(Scope.GLOBAL, NOON)).isEqualTo(Spending.REFS_KEPT + 1);

    LongStream.range(0, 3L * Spending.REFS_KEPT)
        .forEach(i -> story.append(new LedgerEntry.Spend("acme", "more" + i, 1, 0)));
    Spending spending = story.state().parts().spending();
    assertThat(spending.refs().size() + spending.olderRefs().size())
        .isLessThanOrEqualTo(2 * Spending.REFS_KEPT);
  }

  @Test
  void aBudgetIsThatOfTheUtcDayOfTheAppendTimeWhateverTheClockDoes() {
    story.budget(Scope.GLOBAL, 1_000L, null);
    story.append(new LedgerEntry.Spend("acme", "b1", 900, 0));
    assertThat(story.state().spentMicros(Scope.GLOBAL, NOON.plusSeconds(86_400))).isZero();

    story.at(NOON.plusSeconds(8 * 86_400)).append(new LedgerEntry.Spend("acme", "b2", 5, 0));
    story.at(NOON);
    assertThat(story.state().spentMicros(Scope.GLOBAL, NOON)).isEqualTo(900);
  }
}
