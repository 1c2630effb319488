package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Makes the wrong participant that the simulation must notice: its leases count from when it saw
 * the renewal.
 */
public final class LateFences {
  private LateFences() {}

  public static Participant participant(
      LeaseTimes times,
      LedgerEntry.Init seed,
      ClaimSource demand,
      Supplier<String> sessionIds,
      RandomGenerator random) {
    var nanos = new LeaseNanos(times, (sentAt, seenAt) -> seenAt);
    return new Participant(nanos, seed, demand, sessionIds, random);
  }
}
