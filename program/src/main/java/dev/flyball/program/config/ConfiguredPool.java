package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.ledger.LedgerEntry.ScopedLimits;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One entry of the list of pools, as it is written. */
record ConfiguredPool(
    @ConfigKey(
            name = "name",
            matches = "[a-z0-9-]{1,32}",
            allowed = "1 to 32 of a-z, 0-9 and -",
            required = true,
            meaning = "Name of the pool, by which `runner.pool` chooses it")
        String name,
    @ConfigKey(
            name = "tenants",
            meaning =
                "Whose sessions run in this pool and in no other. Empty: none, for a pool whose"
                    + " tenants have moved away and whose last sessions still run")
        List<String> tenants,
    @ConfigKey(
            name = "cap",
            to = 10_000,
            required = true,
            meaning =
                "Most agent sessions of the pool at a time, over all its runners. Seeds its ledger"
                    + " once")
        int cap,
    @ConfigKey(
            name = "budget.daily.usd",
            unit = ConfigKey.Unit.MICRO_DOLLARS,
            meaning =
                "As the key of this name outside the list, which holds for the default pool alone;"
                    + " needed where that has a value. Seeds the pool's ledger once")
        @Nullable Long dailyMicros,
    @ConfigKey(
            name = "budget.daily.tokens",
            to = 1_000_000_000_000_000L,
            meaning = "The same in tokens of every kind")
        @Nullable Long dailyTokens) {

  /** The budgets that seed its ledger. */
  List<ScopedLimits> budgets() {
    var limits = new Limits(dailyMicros, dailyTokens);
    return limits.equals(Limits.NONE) ? List.of() : List.of(new ScopedLimits(Scope.GLOBAL, limits));
  }

  /**
   * Rejects a pool that could spend without a limit although the installation has one.
   *
   * @param everywhere the budgets of the default pool
   * @throws IllegalArgumentException with the key that is missing
   */
  void check(Limits everywhere) {
    if (everywhere.dailyCostMicros() != null && dailyMicros == null) {
      throw missing("budget.daily.usd");
    }
    if (everywhere.dailyTokens() != null && dailyTokens == null) {
      throw missing("budget.daily.tokens");
    }
  }

  private IllegalArgumentException missing(String key) {
    return new IllegalArgumentException(
        "name " + name + ": a budget holds for one pool, so this one needs its own " + key);
  }
}
