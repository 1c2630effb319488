package dev.flyball.contract.ledger;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.topic.Position;
import org.jspecify.annotations.Nullable;

/**
 * An open lease: a session that may be alive.
 *
 * @param claimedAt offset of its effective claim, the offset part of its fencing token
 * @param seen offset of its last effective claim or renewal
 * @param claimedMs append time of its claim, for display only
 * @param rules the newest rules that its claimant knows
 * @param reserve micro-dollars held back for it
 * @param tokens tokens used so far, by its last renewal
 * @param costMicros micro-dollars spent so far, by its last renewal
 */
public record Lease(
    String session,
    String request,
    Position requestAt,
    ItemKey item,
    int attempt,
    String runner,
    @Nullable String provider,
    int rules,
    long reserve,
    long claimedAt,
    long claimedMs,
    long seen,
    long tokens,
    long costMicros) {

  /** The lease as renewed at {@code offset}. Usage is cumulative: a late entry never lowers it. */
  Lease renewed(long offset, long usedTokens, long spentMicros) {
    return new Lease(
        session,
        request,
        requestAt,
        item,
        attempt,
        runner,
        provider,
        rules,
        reserve,
        claimedAt,
        claimedMs,
        offset,
        Math.max(tokens, usedTokens),
        Math.max(costMicros, spentMicros));
  }

  /** Micro-dollars of its reserve that it may still spend; what it has spent is booked already. */
  long reserved() {
    return Math.max(0, reserve - costMicros);
  }

  /**
   * Returns the lease at its end when no runner saw its cost. An agent reports its cost at its end
   * or never, so the last renewal may not include it.
   */
  Lease withWholeReserve() {
    return renewed(seen, tokens, reserve);
  }
}
