package dev.flyball.triage.topology;

/**
 * The ledger cannot be folded on, in any thread: only an operator or newer code can help. The
 * stream stops at its present position.
 */
final class LedgerFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private LedgerFault(String line) {
    super(line);
  }

  /**
   * The start was cut off before this app read it, or this app's state of it was lost. What is left
   * does not show which sessions are open.
   */
  static LedgerFault startMissing(String ledger, long begin) {
    return new LedgerFault(
        ledger
            + " begins at offset "
            + begin
            + " and triage has no state of what was before; restore triage's changelog topics, or"
            + " delete all topics of this prefix and start again");
  }

  /** The ledger that was folded was deleted, and another one has its name. */
  static LedgerFault recreated(String ledger, String known, String found) {
    return new LedgerFault(
        ledger
            + " was recreated (topic id "
            + found
            + ", known "
            + known
            + "); restore it, or delete all topics of this prefix and start again");
  }

  /** Newer code skips nothing when it goes on from here. */
  static LedgerFault unknownRules(String ledger, int rules) {
    return new LedgerFault(
        ledger
            + " is folded by rules "
            + rules
            + ", which this version does not know; start a newer version");
  }
}
