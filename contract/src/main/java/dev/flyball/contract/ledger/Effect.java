package dev.flyball.contract.ledger;

import java.util.List;

/** The effect of one entry on the ledger. */
public sealed interface Effect {

  /** The entry changed nothing; for a claim this is a lost race. */
  record None(String reason) implements Effect {}

  /** A claim took effect. */
  record Claimed(Lease lease) implements Effect {}

  /** These leases were renewed; they are given in their new state. */
  record Renewed(long n, List<Lease> leases) implements Effect {
    public Renewed {
      leases = List.copyOf(leases);
    }
  }

  /** A lease was ended by its holder; it is given with all that was booked for it. */
  record Released(Lease lease, LedgerEntry.Release release) implements Effect {}

  /** A witness ended a lease; it has all that was booked for it, its reserve at least. */
  record Expired(Lease lease) implements Effect {}

  /** A spent request was settled and its partition's floor raised. */
  record Settled(String request) implements Effect {}

  /** An init, operator, spend, runner or rules entry took effect. */
  record Changed(String what) implements Effect {}

  /**
   * Rules that this code does not know took effect, now or before. The reader stops here: it kills
   * its own sessions, claims nothing, and reports that. The state no longer changes.
   */
  record UnknownRules(int n) implements Effect {}

  /** A checkpoint was read; {@code agrees} is false if its digest differs from this fold's. */
  record Checkpointed(boolean agrees) implements Effect {}
}
