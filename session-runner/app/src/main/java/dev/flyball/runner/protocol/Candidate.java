package dev.flyball.runner.protocol;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import org.jspecify.annotations.Nullable;

/**
 * A request that a runner proposes to claim.
 *
 * @param requestAt the position of its record in session-requests
 * @param readTo the next offset that this runner will read in that partition
 * @param provider scope of rate limits, null if none
 * @param reserve micro-dollars to hold back
 */
public record Candidate(
    String request,
    LedgerEntry.Position requestAt,
    long readTo,
    ItemKey item,
    int attempt,
    @Nullable String provider,
    long reserve) {

  /** The entry that claims this request for a session of a runner. */
  public LedgerEntry.Claim claim(String session, String runner) {
    return new LedgerEntry.Claim(
        request,
        requestAt,
        readTo,
        item,
        attempt,
        session,
        runner,
        provider,
        LedgerState.RULES,
        reserve);
  }
}
