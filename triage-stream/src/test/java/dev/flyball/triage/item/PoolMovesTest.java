package dev.flyball.triage.item;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerEntry.Pause;
import dev.flyball.contract.ledger.LedgerEntry.Resume;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.topic.Pools;
import dev.flyball.contract.topic.Position;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("INV-2: a tenant is open in one ledger at a time")
final class PoolMovesTest {
  private static final Instant AT = Instant.parse("2026-11-21T08:00:00Z");
  private static final String ACME = Scope.tenant("acme");
  private static final Pools BIG = new Pools(Map.of("big", Set.of("acme")));
  private static final Pools BACK = new Pools(Map.of("big", Set.of()));
  private static final Pools SMALL = new Pools(Map.of("big", Set.of(), "small", Set.of("acme")));

  private final Map<String, LedgerState> ledgers = new HashMap<>();

  @Test
  void aListedTenantIsPausedInEveryOtherPoolFirst() {
    PoolMoves.Step step = next(SMALL);

    assertThat(step.waits()).isEmpty();
    assertThat(step.appends())
        .containsExactly(
            new PoolMoves.Append("default", closed("small", -1)),
            new PoolMoves.Append("big", closed("small", -1)));
  }

  @Test
  void itIsOpenedByAPauseAndItsEndOnceItIsPausedElsewhere() {
    take(BIG);
    assertThat(next(BIG).appends())
        .singleElement()
        .satisfies(append -> {
          assertThat(append.pool()).isEqualTo("big");
          assertThat(append.entry()).isInstanceOf(Pause.class);
        });
    take(BIG);
    assertThat(next(BIG).appends())
        .singleElement()
        .satisfies(append -> assertThat(append.entry()).isInstanceOf(Resume.class));
    take(BIG);

    assertThat(pause("big")).isNull();
    assertThat(ledger("big").lastOperator(ACME)).isNotNegative();
    assertThat(pause("default")).isEqualTo(closed("big", -1));
    assertNothingIsLeft(BIG);
  }

  @Test
  void itWaitsForAnOpenSessionElsewhere() {
    claim("default", "acme/a/1");
    take(BIG);

    PoolMoves.Step step = next(BIG);
    assertThat(step.appends()).isEmpty();
    assertThat(step.waits())
        .singleElement()
        .asString()
        .contains("tenant acme", "pool big", "pool default", "1 of its sessions open");
  }

  @Test
  void itWaitsForARequestThatIsNotSettledElsewhere() {
    claim("default", "acme/a/1");
    expire("default", "acme/a/1");
    take(BIG);
    assertThat(next(BIG).appends()).isEmpty();
    assertThat(next(BIG).waits()).hasSize(1);

    append("default", new LedgerEntry.Settled("r-acme/a/1", 9));
    settle(BIG);

    assertThat(pause("big")).isNull();
  }

  @Test
  void sessionsOfOtherTenantsAreNotWaitedFor() {
    claim("default", "zeta/a/1");
    settle(BIG);

    assertNothingIsLeft(BIG);
    assertThat(ledger("default").lastOperator(Scope.tenant("zeta"))).isNegative();
  }

  @Test
  void aSessionThatStartedBeforeThePauseTookEffectIsWaitedFor() {
    List<PoolMoves.Append> decided = next(BIG).appends();
    claim("default", "acme/a/1");
    decided.forEach(each -> append(each.pool(), each.entry()));

    assertThat(next(BIG).appends()).isEmpty();
  }

  @Test
  void theSameStepOfASecondProcessHasNoEffect() {
    List<PoolMoves.Append> decided = next(BIG).appends();
    decided.forEach(each -> append(each.pool(), each.entry()));
    LedgerState once = ledger("default");
    decided.forEach(each -> append(each.pool(), each.entry()));

    assertThat(ledger("default").digest()).isEqualTo(once.digest());
  }

  @Test
  void anOperatorsPauseGoesWithTheTenantAndIsReplacedOnlyThen() {
    Instant until = AT.plusSeconds(60);
    append("default", new Pause(ACME, until, -1, "ann", "maintenance"));

    assertThat(next(BIG).appends())
        .containsExactly(
            new PoolMoves.Append("big", new Pause(ACME, until, -1, "ann", "maintenance")));
    settle(BIG);

    assertThat(pause("big")).isEqualTo(new Pause(ACME, until, -1, "ann", "maintenance"));
    assertThat(pause("default")).isEqualTo(closed("big", 1));
    assertNothingIsLeft(BIG);
  }

  @Test
  void anOperatorsPauseDoesNotGoWithTheTenantWhileSessionsAreLeftElsewhere() {
    claim("default", "acme/a/1");
    append("default", new Pause(ACME, null, -1, "ann", "maintenance"));

    assertThat(next(BIG).appends()).as("its end would open the tenant").isEmpty();
    assertThat(next(BIG).waits()).hasSize(1);
  }

  @Test
  void ofTwoPausesByOperatorsOneGoesWithTheTenant() {
    append("default", new Pause(ACME, null, -1, "ann", "maintenance"));
    append("big", new Pause(ACME, null, -1, "bob", "holidays"));

    assertThat(next(SMALL).appends())
        .containsExactly(
            new PoolMoves.Append("small", new Pause(ACME, null, -1, "ann", "maintenance")));
    settle(SMALL);
    assertNothingIsLeft(SMALL);
  }

  @Test
  void anOperatorsPauseThatIsOverDoesNotGoWithTheTenant() {
    append("default", new Pause(ACME, AT, -1, "ann", "maintenance"));
    settle(BIG);

    assertThat(pause("big")).isNull();
  }

  @Test
  void anOperatorsPauseInItsPoolStays() {
    append("big", new Pause(ACME, null, -1, "ann", "maintenance"));
    settle(BIG);

    assertThat(pause("big")).isEqualTo(new Pause(ACME, null, -1, "ann", "maintenance"));
    assertNothingIsLeft(BIG);
  }

  @Test
  void aTenantThatMovesBackIsPausedInThePoolFirstAndOpenedAfterItsSessions() {
    settle(BIG);
    claim("big", "acme/a/1");

    assertThat(next(BACK).appends())
        .containsExactly(
            new PoolMoves.Append("big", closed("default", ledger("big").lastOperator(ACME))));
    take(BACK);
    assertThat(next(BACK).appends()).isEmpty();
    assertThat(next(BACK).waits())
        .singleElement()
        .asString()
        .contains("pool big still has 1 of its sessions open");

    expire("big", "acme/a/1");
    append("big", new LedgerEntry.Settled("r-acme/a/1", 9));
    settle(BACK);

    assertThat(pause("default")).isNull();
    assertThat(pause("big")).isNotNull();
    assertNothingIsLeft(BACK);
  }

  @Test
  void aTenantThatMovesBetweenTwoPoolsStaysPausedInTheDefaultOne() {
    settle(BIG);
    claim("big", "acme/a/1");
    settle(SMALL);
    assertThat(pause("default")).as("until then").asString().contains("pool big");
    assertThat(ledger("small").lastOperator(ACME)).as("not open").isNegative();

    expire("big", "acme/a/1");
    append("big", new LedgerEntry.Settled("r-acme/a/1", 9));
    settle(SMALL);

    assertThat(pause("small")).isNull();
    assertThat(pause("big")).isNotNull();
    assertThat(pause("default")).asString().contains("its sessions run in pool small");
  }

  @Test
  void aTenantOfARemovedPoolWaitsUntilThatPoolIsConfiguredAgain() {
    settle(BIG);
    claim("big", "acme/a/1");

    for (Pools without : List.of(Pools.NONE, new Pools(Map.of("small", Set.of("acme"))))) {
      PoolMoves.Step step = settle(without);
      assertThat(step.appends()).isEmpty();
      assertThat(step.waits())
          .singleElement()
          .asString()
          .contains("tenant acme", "pool big", "tenants: []");
    }
    assertThat(pause("default")).isNotNull();

    expire("big", "acme/a/1");
    append("big", new LedgerEntry.Settled("r-acme/a/1", 9));
    settle(BACK);
    assertThat(pause("default")).isNull();
  }

  @Test
  void aTenantThatAnOperatorCappedInAnotherPoolIsPausedThereBeforeItIsListed() {
    append("big", new LedgerEntry.Cap(ACME, 2, -1, "ann", "soon"));
    settle(BACK);

    assertThat(pause("big")).isNotNull();
    assertThat(pause("default")).as("it stays open at home").isNull();
  }

  @Test
  void aTenantThatAnOperatorOpenedAgainElsewhereIsPausedThereAndAtHomeUntilItsSessionsEnd() {
    settle(BIG);
    append("default", new Resume(ACME, ledger("default").lastOperator(ACME), "ann", "oops"));
    claim("default", "acme/a/1");
    settle(BIG);
    assertThat(pause("default")).isNotNull();
    assertThat(pause("big")).isNotNull();

    expire("default", "acme/a/1");
    append("default", new LedgerEntry.Settled("r-acme/a/1", 9));
    settle(BIG);
    assertThat(pause("big")).isNull();
  }

  @Test
  void anInstallationWithOnePoolNeedsNothing() {
    claim("default", "acme/a/1");
    append("default", new Pause(ACME, null, -1, "ann", "maintenance"));
    append(
        "default",
        new LedgerEntry.Budget(Scope.tenant("zeta"), new Limits(5L, null), -1, "ann", ""));

    assertNothingIsLeft(Pools.NONE);
  }

  @Test
  void nothingIsDecidedByALedgerThatThisVersionCannotRead() {
    append("big", new LedgerEntry.Rules(LedgerState.RULES + 1));

    PoolMoves.Step step = next(BIG);
    assertThat(step.appends()).isEmpty();
    assertThat(step.waits()).singleElement().asString().contains("pool big", "newer version");
  }

  private static Pause closed(String home, long seen) {
    return new Pause(ACME, null, seen, "triage-stream", "its sessions run in pool " + home);
  }

  private void assertNothingIsLeft(Pools pools) {
    PoolMoves.Step step = next(pools);
    assertThat(step.appends()).isEmpty();
    assertThat(step.waits()).isEmpty();
  }

  private PoolMoves.Step next(Pools pools) {
    var known = new HashMap<String, LedgerState>();
    pools.names().forEach(pool -> known.put(pool, ledger(pool)));
    return PoolMoves.next(pools, known, AT);
  }

  /** Takes one step. */
  private PoolMoves.Step take(Pools pools) {
    PoolMoves.Step step = next(pools);
    step.appends().forEach(each -> append(each.pool(), each.entry()));
    return step;
  }

  /** Takes steps while there are any, and returns the last. */
  private PoolMoves.Step settle(Pools pools) {
    for (int n = 0; n < 20; n++) {
      PoolMoves.Step step = take(pools);
      if (step.appends().isEmpty()) {
        return step;
      }
    }
    throw new AssertionError("no end: " + next(pools));
  }

  private LedgerState ledger(String pool) {
    return ledgers.computeIfAbsent(
        pool,
        name -> {
          var init = new LedgerEntry.Init(3, 45_000, List.of());
          return LedgerState.empty().fold(init, 0, AT).state();
        });
  }

  private @Nullable Pause pause(String pool) {
    return ledger(pool).lastPause(ACME).orElse(null);
  }

  private void append(String pool, LedgerEntry entry) {
    LedgerState before = ledger(pool);
    ledgers.put(pool, before.fold(entry, before.offset() + 1, AT).state());
  }

  private void claim(String pool, String item) {
    append(
        pool,
        new LedgerEntry.Claim(
            "r-" + item,
            new Position(0, 0),
            1,
            ItemKey.parse(item),
            1,
            "s-" + item,
            "r1",
            null,
            LedgerState.RULES,
            0));
    assertThat(ledger(pool).lease("s-" + item)).isPresent();
  }

  private void expire(String pool, String item) {
    long seen = ledger(pool).lease("s-" + item).orElseThrow().seen();
    append(pool, new LedgerEntry.Expire("s-" + item, seen));
  }
}
