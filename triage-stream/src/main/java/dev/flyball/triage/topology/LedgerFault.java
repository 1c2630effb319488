package dev.flyball.triage.topology;

/**
 * The ledger cannot be folded on, in any thread: only an operator or newer code can help. The
 * stream stops at its present position.
 */
final class LedgerFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LedgerFault(String line) {
    super(line);
  }
}
