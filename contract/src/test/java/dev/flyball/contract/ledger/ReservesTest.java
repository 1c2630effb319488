package dev.flyball.contract.ledger;

import static dev.flyball.contract.ledger.LedgerStory.NOON;
import static dev.flyball.contract.ledger.LedgerStory.claimOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("INV-8: calls of triage and sessions never hold the same money")
class ReservesTest {
  private static final String ACME = Scope.tenant("acme");

  private final LedgerStory story = LedgerStory.withCap(4);

  @ParameterizedTest(name = "{0}: {1} held, {2} asked: takes effect {3}")
  @CsvSource({
    "global, 600, 400, true",
    "global, 600, 401, false",
    "tenant:acme, 600, 400, true",
    "tenant:acme, 600, 401, false",
    "tenant:zeta, 600, 5000, true",
  })
  void aReserveLeavesOnlyTheRest(String scope, long held, long asked, boolean fits) {
    story.budget(scope, 1_000L, null);
    reserve("b1", held);
    assertThat(story.state().whyNot(claim("s1", asked), NOON).isEmpty()).isEqualTo(fits);

    reserve("b2", asked);

    assertThat(story.state().holds("b1")).isTrue();
    assertThat(story.state().holds("b2")).isEqualTo(fits);
  }

  @Test
  void whatASessionReservesIsNoLongerThereForACall() {
    story.budget(ACME, 1_000L, null);
    story.append(claim("s1", 600));

    assertThat(reserve("b1", 401)).isInstanceOf(Effect.None.class);
    story.release("s1", 100);
    assertThat(reserve("b2", 401)).isInstanceOf(Effect.Changed.class);
  }

  @Test
  void theSpendOfItsRefEndsAReserve() {
    story.budget(ACME, 1_000L, null);
    reserve("b1", 900);
    story.append(new LedgerEntry.Spend("acme", "b1", 30, 7));

    assertThat(story.state().reservedMicros(ACME)).isZero();
    assertThat(story.state().spentMicros(ACME, NOON)).isEqualTo(30);
    assertThat(reserve("b1", 900)).as("its call is over").isInstanceOf(Effect.None.class);
  }

  @Test
  void aReserveWhoseWriterIsGoneIsBookedWholeAndOnce() {
    story.budget(ACME, 1_000L, null);
    reserve("b1", 900);
    story.at(NOON.plus(Spending.LONGEST_HELD));
    story.usage("none", 0, 0);
    assertThat(story.state().holds("b1")).isTrue();

    story.at(NOON.plus(Spending.LONGEST_HELD).plusMillis(1));
    story.usage("none", 0, 0);
    story.append(new LedgerEntry.Spend("acme", "b1", 30, 7));

    assertThat(story.state().reservedMicros(ACME)).isZero();
    assertThat(story.state().spentMicros(ACME, story.time())).isEqualTo(900);
    assertThat(story.state().spentMicros(Scope.GLOBAL, story.time())).isEqualTo(900);
  }

  @Test
  @DisplayName("a budget is not spent while a call may give back what it holds")
  void aBudgetIsNotSpentByAReserveAlone() {
    story.budget(ACME, 1_000L, null);
    story.append(new LedgerEntry.Spend("acme", "b1", 500, 0));
    reserve("b2", 300);
    assertThat(acme().spent(400, 0)).isFalse();

    story.append(new LedgerEntry.Spend("acme", "b2", 300, 0));
    assertThat(acme().spent(400, 0)).isTrue();
  }

  @RepeatedTest(50)
  @DisplayName("booked and reserved are never above the limit, after any entry")
  void theLimitHoldsAfterEveryEntry() {
    long seed = new SplittableRandom().nextLong();
    var random = new SplittableRandom(seed);
    story.budget(Scope.GLOBAL, 10_000L, null);
    story.budget(ACME, 7_000L, null);
    var calls = new ArrayList<LedgerEntry.Reserve>();
    for (int i = 0; i < 400; i++) {
      story.at(story.time().plus(Duration.ofSeconds(random.nextInt(120))));
      var open = List.copyOf(story.state().leases());
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          String tenant = random.nextBoolean() ? "acme" : "zeta";
          var entry = new LedgerEntry.Reserve(tenant, "b" + i, random.nextInt(900));
          story.append(entry);
          if (story.state().holds(entry.ref())) {
            calls.add(entry);
          }
        }
        case 2 -> {
          if (!calls.isEmpty()) {
            LedgerEntry.Reserve call = calls.remove(random.nextInt(calls.size()));
            long cost = random.nextLong(call.costMicros() + 1);
            story.append(new LedgerEntry.Spend(call.tenant(), call.ref(), cost, 1));
          }
        }
        case 3, 4 -> story.append(claim("s" + i, random.nextInt(900)));
        default -> {
          if (!open.isEmpty()) {
            Lease lease = open.get(random.nextInt(open.size()));
            if (random.nextBoolean()) {
              story.release(lease.session(), random.nextLong(lease.reserve() + 1));
            } else {
              story.expire(lease.session(), lease.seen());
            }
          }
        }
      }
      for (BudgetUse use : story.state().budgets(story.time())) {
        assertThat(use.spentMicros() + use.reservedMicros())
            .as("seed %d entry %d %s", seed, i, use.scope())
            .isLessThanOrEqualTo(use.limits().dailyCostMicros());
      }
    }
  }

  private Effect reserve(String ref, long micros) {
    return story.append(new LedgerEntry.Reserve("acme", ref, micros));
  }

  private static LedgerEntry.Claim claim(String session, long reserve) {
    return claimOf(session, session, "acme/web/" + session, 11, 1, reserve);
  }

  private BudgetUse acme() {
    return story.state().budgets(NOON).getFirst();
  }
}
