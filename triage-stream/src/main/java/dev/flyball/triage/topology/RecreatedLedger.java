package dev.flyball.triage.topology;

/**
 * The ledger that was folded was deleted, and another one has its name. Only an operator can decide
 * which state is true.
 */
final class RecreatedLedger extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RecreatedLedger(String ledger, String known, String found) {
    super(
        ledger
            + " was recreated (topic id "
            + found
            + ", known "
            + known
            + "); restore it, or delete all topics of this prefix and start again");
  }
}
