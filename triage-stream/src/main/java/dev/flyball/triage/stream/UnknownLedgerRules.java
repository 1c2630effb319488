package dev.flyball.triage.stream;

/**
 * The ledger is folded by rules that this code does not know. The stream stops where it stands, so
 * that nothing is skipped when newer code goes on from there.
 */
final class UnknownLedgerRules extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnknownLedgerRules(int rules) {
    super(
        "session-ledger is folded by rules "
            + rules
            + ", which this version does not know; start a newer version");
  }
}
