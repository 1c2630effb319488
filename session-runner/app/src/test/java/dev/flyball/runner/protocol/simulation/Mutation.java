package dev.flyball.runner.protocol.simulation;

import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.protocol.Step;
import dev.flyball.testkit.Sample;
import java.util.Map;

/**
 * Wrong rules. Each is noticed, or the simulation is blind. Wrong folds are right folds of a bent
 * entry.
 */
enum Mutation {
  NONE,
  EXPIRES_WITHOUT_SEEN,
  FENCE_COUNTS_FROM_RECEIPT,
  SPENT_REQUESTS_ARE_CLAIMED,
  NO_FLOOR,
  RELEASES_BEFORE_THE_TREE_IS_DEAD,
  RENEWAL_STOPS_AT_THE_KILL,
  RESTARTED_WITNESS_DOES_NOT_WAIT,
  COPIED_FOLDER_RELEASES,
  NO_DEADMAN,
  EXPIRIES_BOOK_NOTHING,
  SWEEPS_BOOK_NOTHING,
  CLAIMS_RESERVE_NOTHING;

  /** Whether it is a wrong rule about money. */
  boolean ofMoney() {
    return compareTo(EXPIRIES_BOOK_NOTHING) >= 0;
  }

  /** The entry as a reader with this wrong rule takes it. */
  LedgerEntry bend(LedgerEntry entry, LedgerState state) {
    return switch (entry) {
      case LedgerEntry.Expire expire when this == EXPIRES_WITHOUT_SEEN ->
          new LedgerEntry.Expire(
              expire.session(), state.lease(expire.session()).map(Lease::seen).orElse(-1L));
      case LedgerEntry.Expire expire when this == EXPIRIES_BOOK_NOTHING ->
          state
              .lease(expire.session())
              .filter(lease -> lease.seen() == expire.seen())
              .<LedgerEntry>map(lease -> unseen(lease.session()))
              .orElse(expire);
      case LedgerEntry.Release release
          when this == SWEEPS_BOOK_NOTHING && release.outcome() == Outcome.LOST ->
          unseen(release.session());
      case LedgerEntry.Claim claim when this == CLAIMS_RESERVE_NOTHING ->
          Sample.with(claim, Map.of("reserve", 0));
      case LedgerEntry.Claim claim
          when this == SPENT_REQUESTS_ARE_CLAIMED && state.spent(claim.request()) ->
          Sample.with(claim, Map.of("request", claim.request() + "+"));
      case LedgerEntry.Claim claim when this == NO_FLOOR ->
          Sample.with(claim, Map.of("readTo", Long.MAX_VALUE));
      default -> entry;
    };
  }

  private static LedgerEntry unseen(String session) {
    return new Step.Unstarted(session, Outcome.LOST, "lost").release();
  }
}
