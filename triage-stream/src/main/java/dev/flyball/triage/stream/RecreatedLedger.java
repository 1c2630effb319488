package dev.flyball.triage.stream;

/**
 * The ledger that was folded is gone and another one stands in its place; only an operator can say
 * what is true.
 */
final class RecreatedLedger extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RecreatedLedger(String known, String found) {
    super(
        "session-ledger was recreated (topic id "
            + found
            + ", known "
            + known
            + "); restore it, or delete all topics of this prefix and start anew");
  }
}
