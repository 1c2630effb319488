package dev.flyball.contract.ledger;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides how sessions of a provider start again after a pause of its scope has run out: one by
 * one, each after the one before has reported usage, has ended or has run for a lease. If all
 * started together, the provider would only reject them again. Decided from the ledger alone, so
 * that every runner decides the same.
 */
public final class ProviderReturn {
  /** After this time its sessions start like any others. */
  public static final Duration CAREFUL_FOR = Duration.ofMinutes(10);

  private ProviderReturn() {}

  /** Whether a claim for this provider has to wait for a session that began before it. */
  public static boolean waits(LedgerState ledger, @Nullable String provider, Instant ledgerNow) {
    return Scope.providers(provider).stream()
        .anyMatch(scope -> ahead(ledger, scope, ledgerNow, Long.MAX_VALUE));
  }

  /** Whether this claim took effect although it had to wait: two runners claimed simultaneously. */
  public static boolean overtook(LedgerState ledger, Lease claimed) {
    Instant at = Instant.ofEpochMilli(claimed.claimedMs());
    return Scope.providers(claimed.provider()).stream()
        .anyMatch(scope -> ahead(ledger, scope, at, claimed.claimedAt()));
  }

  private static boolean ahead(LedgerState ledger, String scope, Instant now, long before) {
    Optional<Instant> reset =
        ledger
            .lastPause(scope)
            .flatMap(pause -> Optional.ofNullable(pause.until()))
            .filter(until -> !now.isBefore(until) && now.isBefore(until.plus(CAREFUL_FOR)));
    return reset.isPresent()
        && ledger.parts().leases().all().stream()
            .anyMatch(lease ->
                lease.claimedMs() >= reset.get().toEpochMilli()
                    && lease.claimedAt() < before
                    && Scope.providers(lease.provider()).contains(scope)
                    && unproven(lease, now, ledger.leaseTime()));
  }

  /** Many agents report usage only at their end, so a whole lease also proves a session. */
  private static boolean unproven(Lease lease, Instant now, Duration patience) {
    return lease.tokens() == 0
        && now.isBefore(Instant.ofEpochMilli(lease.claimedMs()).plus(patience));
  }
}
