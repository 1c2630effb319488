package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.util.Optional;

/**
 * Bounds the requests whose session has ended and that are not settled. Only triage-stream's
 * records settle them, so while triage-stream is down they grow with every session.
 */
public final class Unsettled {
  /**
   * From this number on no runner claims. Each request costs a reader about half a kilobyte of
   * memory and 200 bytes of a checkpoint, so 25 MB and 10 MB. With ten-minute sessions and cap 100,
   * the number is reached after three days without triage-stream.
   */
  public static final int MOST = 50_000;

  private static final String REASON =
      MOST + " ended requests are not settled; check that triage-stream runs";

  private Unsettled() {}

  /** Why no runner claims although permits are free; empty if there are not too many. */
  public static Optional<String> tooMany(LedgerState ledger) {
    return ledger.unsettled() < MOST ? Optional.empty() : Optional.of(REASON);
  }

  /** Returns a runner's entry, with that reason instead of the runner's own if it applies. */
  static LedgerEntry.Runner refusing(LedgerState ledger, LedgerEntry.Runner self) {
    return tooMany(ledger).map(self::shut).orElse(self);
  }
}
