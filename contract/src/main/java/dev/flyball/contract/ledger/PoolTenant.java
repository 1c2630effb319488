package dev.flyball.contract.ledger;

import dev.flyball.contract.topic.Pools;

/**
 * A tenant in the ledger of a pool (decision 0043). A tenant that is listed in a pool may still
 * have sessions in another one, whose ledger cannot see those of this pool. So triage-stream opens
 * it here once those have ended: by a first entry of its scope, a pause, and its end.
 */
public record PoolTenant(String pool, String tenant) {

  /**
   * Whether triage-stream has opened the tenant here. In the default pool every tenant is open from
   * the start. A pause may stop it all the same.
   */
  public boolean openIn(LedgerState ledger) {
    return pool.equals(Pools.DEFAULT) || ledger.lastOperator(Scope.tenant(tenant)) >= 0;
  }

  /**
   * Whether triage-stream keeps the tenant out of this ledger: it has not opened it here, or has
   * closed it because sessions of it may be open in another pool.
   */
  public boolean keptOutOf(LedgerState ledger) {
    return !openIn(ledger)
        || ledger.lastPause(Scope.tenant(tenant)).filter(PoolTenant::keptOutBy).isPresent();
  }

  /**
   * Whether this ledger can hold no session of the tenant until triage-stream lets it in: it is
   * kept out, none of its sessions is open, and none of its requests could get another one.
   */
  public boolean goneFrom(LedgerState ledger) {
    return keptOutOf(ledger)
        && ledger.live(Scope.tenant(tenant)) == 0
        && ledger.spentRequests().stream().noneMatch(it -> it.item().tenant().equals(tenant));
  }

  /** Whether triage-stream made a pause to keep a tenant out. */
  private static boolean keptOutBy(LedgerEntry.Pause pause) {
    return pause.who().equals(Pools.KEEPER) && pause.scope().startsWith(Scope.tenant(""));
  }
}
