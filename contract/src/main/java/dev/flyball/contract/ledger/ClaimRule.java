package dev.flyball.contract.ledger;

import dev.flyball.contract.text.Dollars;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Decides whether a claim takes effect. Reasons come in the order that helps a person most. */
public final class ClaimRule {
  /**
   * The limit of a cap entry that removes a scope's cap. No count of sessions reaches it, so a
   * version that does not know its meaning lets the same claims take effect. A separate kind of
   * entry would be skipped by such a version, and its runner would go on to obey the cap.
   */
  public static final int NO_CAP = Integer.MAX_VALUE;

  private final LedgerState state;

  /** The rule in a state of the ledger. */
  public ClaimRule(LedgerState state) {
    this.state = state;
  }

  /** Every reason against a claim, of each kind and scope; empty if it takes effect. */
  public List<WhyNot> all(LedgerEntry.Claim claim, Instant now) {
    return reasons(claim, now).toList();
  }

  /** The first reason against a claim; null if it takes effect. */
  @Nullable WhyNot against(LedgerEntry.Claim claim, Instant now) {
    return reasons(claim, now).findFirst().orElse(null);
  }

  /** Computed one by one as they are taken. */
  private Stream<WhyNot> reasons(LedgerEntry.Claim claim, Instant now) {
    WhyNot own = unfit(claim);
    own = own == null ? used(claim) : own;
    if (own != null) {
      return Stream.of(own);
    }
    List<String> scopes = Scope.of(claim.item(), claim.provider());
    return Stream.of(
            scopes.stream().map(scope -> paused(scope, now)),
            scopes.stream().map(this::atCap),
            scopes.stream().map(scope -> overBudget(claim.reserve(), scope, now)))
        .flatMap(reasons -> reasons)
        .flatMap(Stream::ofNullable);
  }

  private @Nullable WhyNot unfit(LedgerEntry.Claim claim) {
    if (claim.rules() < state.rules()) {
      return new WhyNot.Unfit(
          "the runner knows rules " + claim.rules() + ", the ledger has " + state.rules());
    }
    if (claim.readTo() <= claim.requestAt().offset()) {
      return new WhyNot.Unfit("the claimant had not read the request that it claims");
    }
    if (state.parts().leases().ofSession(claim.session()) != null
        || state.parts().requests().hadSession(claim.request(), claim.session())) {
      return new WhyNot.Unfit("session " + claim.session() + " was claimed before");
    }
    return null;
  }

  private @Nullable WhyNot used(LedgerEntry.Claim claim) {
    if (state.parts().leases().holdsRequest(claim.request())
        || state.parts().requests().spent(claim.request()) != null) {
      return new WhyNot.RequestUsed(claim.request());
    }
    int partition = claim.requestAt().partition();
    long floor = state.parts().requests().floor(partition);
    if (claim.readTo() < floor) {
      return new WhyNot.BelowFloor(partition, floor);
    }
    Lease busy = state.parts().leases().ofItem(claim.item());
    return busy == null ? null : new WhyNot.ItemBusy(busy.session());
  }

  private @Nullable WhyNot paused(String scope, Instant now) {
    LedgerEntry.Pause pause = state.parts().operators().pause(scope, now);
    return pause == null ? null : new WhyNot.Paused(pause);
  }

  private @Nullable WhyNot atCap(String scope) {
    Integer cap =
        scope.equals(Scope.GLOBAL) ? (Integer) state.cap() : state.parts().operators().cap(scope);
    int open = state.parts().leases().total(scope).open();
    return cap == null || open < cap ? null : new WhyNot.AtCap(scope, open, cap);
  }

  /**
   * Why a scope's budget does not allow to hold this much back; null if it does.
   *
   * @param reserve micro-dollars
   */
  @Nullable WhyNot overBudget(long reserve, String scope, Instant now) {
    BudgetUse use = BudgetUse.of(state, scope, Spending.day(now));
    Long cost = use.limits().dailyCostMicros();
    if (cost != null && !use.allows(reserve)) {
      return new WhyNot.OverBudget(
          scope,
          Dollars.exact(use.spentMicros())
              + " USD spent, "
              + Dollars.exact(use.reservedMicros())
              + " USD reserved, "
              + Dollars.exact(reserve)
              + " USD asked, "
              + Dollars.exact(cost)
              + " USD a day");
    }
    Long tokens = use.limits().dailyTokens();
    return tokens != null && use.spentTokens() >= tokens
        ? new WhyNot.OverBudget(scope, use.spentTokens() + " of " + tokens + " tokens a day")
        : null;
  }
}
