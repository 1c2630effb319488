package dev.flyball.runner.lease;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.util.Optional;

/**
 * Bounds the requests whose session has ended and that are not settled: triage-stream's records
 * settle them, so while it is away they grow with every session.
 */
public final class Unsettled {
  /**
   * From here on no runner claims. Each costs a reader about half a kilobyte of memory and 200
   * bytes of a checkpoint, so 25 MB and 10 MB; at ten-minute sessions and cap 100 it is three days
   * without triage-stream.
   */
  public static final int MOST = 50_000;

  private static final String REASON =
      MOST + " ended requests are not settled; check that triage-stream runs";

  private Unsettled() {}

  /** Why no runner claims although permits are free; empty while that is not so. */
  public static Optional<String> tooMany(LedgerState ledger) {
    return ledger.unsettled() < MOST ? Optional.empty() : Optional.of(REASON);
  }

  /** A runner's entry, with that reason before any of its own. */
  static LedgerEntry.Runner refusing(LedgerState ledger, LedgerEntry.Runner self) {
    return tooMany(ledger)
        .map(reason ->
            new LedgerEntry.Runner(self.id(), self.rules(), self.level(), self.slots(), reason))
        .orElse(self);
  }
}
