package dev.flyball.bench;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerEntry.Claim;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.topic.Position;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * What the ledger takes to judge a claim under budgets of all its scopes, with many open leases and
 * with few. Generated from a seed; single-threaded, without a broker.
 */
final class ClaimsBench implements Bench {
  private static final long SEED = 20;
  private static final int FEW = 10;
  private static final int MANY = 10_000;
  private static final int CLAIMS = 2_000;
  private static final int ROUNDS = 7;
  private static final int TENANTS = 20;

  /** A thousand times the leases; what looks at each of them takes hundreds of times as long. */
  private static final double MOST_RATIO = 10;

  @Override
  public String name() {
    return "claims";
  }

  @Override
  public void run(Place place) {
    LedgerState few = ledger(FEW);
    LedgerState many = ledger(MANY);
    var micros = new ArrayList<Double>();
    var ofFew = new ArrayList<Double>();
    for (int round = 0; round < 2 * ROUNDS; round++) {
      double fewTook = judged(few);
      double manyTook = judged(many);
      // The first half is for the compiler.
      if (round >= ROUNDS) {
        ofFew.add(fewTook);
        micros.add(manyTook);
      }
    }
    Figures atMany = Figures.of("us", micros);
    Figures atFew = Figures.of("us", ofFew);
    System.out.printf(
        Locale.ROOT,
        "   a claim judged with %d open leases: %s; with %d: %s (seed %d)%n",
        MANY,
        atMany,
        FEW,
        atFew,
        SEED);
    Gate.atMost(MOST_RATIO, atMany.median() / atFew.median(), "time at many leases to at few");
  }

  /** Microseconds for each claim. */
  private static double judged(LedgerState ledger) {
    var random = new SplittableRandom(SEED);
    long before = System.nanoTime();
    int denied = 0;
    for (int i = 0; i < CLAIMS; i++) {
      denied += ledger.whyNot(claim(MANY + i, random), Instant.EPOCH).isPresent() ? 1 : 0;
    }
    double took = (System.nanoTime() - before) / 1e3 / CLAIMS;
    if (denied > 0) {
      throw new AssertionError(denied + " claims were denied");
    }
    return took;
  }

  private static LedgerState ledger(int leases) {
    var random = new SplittableRandom(SEED);
    var plenty = new Limits(1_000_000_000_000_000L, null);
    var budgets = new ArrayList<LedgerEntry.ScopedLimits>();
    budgets.add(new LedgerEntry.ScopedLimits(Scope.GLOBAL, plenty));
    budgets.add(new LedgerEntry.ScopedLimits(Scope.provider("anthropic"), plenty));
    for (int tenant = 0; tenant < TENANTS; tenant++) {
      budgets.add(new LedgerEntry.ScopedLimits(Scope.tenant("t" + tenant), plenty));
    }
    LedgerState state = folded(LedgerState.empty(), new LedgerEntry.Init(MANY * 2, 1, budgets));
    for (int i = 0; i < leases; i++) {
      state = folded(state, claim(i, random));
    }
    if (state.live() != leases) {
      throw new AssertionError(state.live() + " of " + leases + " claims took effect");
    }
    return state;
  }

  private static LedgerState folded(LedgerState state, LedgerEntry entry) {
    return state.fold(entry, state.offset() + 1, Instant.EPOCH).state();
  }

  private static Claim claim(int n, SplittableRandom random) {
    String tenant = "t" + random.nextInt(TENANTS);
    return new Claim(
        "q" + n,
        new Position(0, n),
        n + 1L,
        new ItemKey(tenant, "s", String.valueOf(n)),
        1,
        "s" + n,
        "r" + random.nextInt(100),
        "anthropic",
        LedgerState.RULES,
        random.nextInt(2_000_000));
  }
}
