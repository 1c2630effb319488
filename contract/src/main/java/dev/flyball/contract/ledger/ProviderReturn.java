package dev.flyball.contract.ledger;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How sessions of a provider come back after a pause of its scope has run out: one by one, each
 * after the one before was seen to answer or ended. All at once they would only be refused once
 * more. Told from the ledger alone, so that every runner says the same.
 */
public final class ProviderReturn {
  /** Afterwards its sessions start as any others do. */
  public static final Duration CAREFUL_FOR = Duration.ofMinutes(10);

  private ProviderReturn() {}

  /** Whether a claim for this provider has to wait for a session that began before it. */
  public static boolean waits(LedgerState ledger, @Nullable String provider, Instant ledgerNow) {
    return provider != null && ahead(ledger, provider, ledgerNow, Long.MAX_VALUE);
  }

  /** Whether this claim took effect in spite of that: two runners had seen the same. */
  public static boolean overtook(LedgerState ledger, Lease claimed) {
    String provider = claimed.provider();
    Instant at = Instant.ofEpochMilli(claimed.claimedMs());
    return provider != null && ahead(ledger, provider, at, claimed.claimedAt());
  }

  private static boolean ahead(LedgerState ledger, String provider, Instant now, long before) {
    Optional<Instant> reset =
        ledger
            .lastPause(Scope.provider(provider))
            .flatMap(pause -> Optional.ofNullable(pause.until()))
            .filter(until -> !now.isBefore(until) && now.isBefore(until.plus(CAREFUL_FOR)));
    return reset.isPresent()
        && ledger.leases().stream()
            .filter(lease -> provider.equals(lease.provider()) && lease.claimedAt() < before)
            .filter(lease -> lease.claimedMs() >= reset.get().toEpochMilli())
            .anyMatch(lease -> unproven(lease, now, ledger.leaseTime()));
  }

  /** Many agents say what they used only at their end, so a whole lease without an end will do. */
  private static boolean unproven(Lease lease, Instant now, Duration patience) {
    return lease.tokens() == 0
        && now.isBefore(Instant.ofEpochMilli(lease.claimedMs()).plus(patience));
  }
}
