package dev.flyball.triage.topology;

/**
 * The ledger is folded by rules that this code does not know. The stream stops at its present
 * position, so that newer code skips nothing when it goes on from there.
 */
final class UnknownLedgerRules extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnknownLedgerRules(String ledger, int rules) {
    super(
        ledger
            + " is folded by rules "
            + rules
            + ", which this version does not know; start a newer version");
  }
}
