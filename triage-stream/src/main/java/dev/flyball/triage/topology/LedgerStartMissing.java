package dev.flyball.triage.topology;

/**
 * The ledger's start was cut off before this app read it, or this app's state of it was lost. What
 * is left does not show which sessions are open.
 */
final class LedgerStartMissing extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LedgerStartMissing(String ledger, long begin) {
    super(
        ledger
            + " begins at offset "
            + begin
            + " and triage has no state of what was before; restore triage's changelog topics, or"
            + " delete all topics of this prefix and start again");
  }
}
