package dev.flyball.triage.stream;

/**
 * The ledger's start was cut off before this app ever read it, or this app's own state of it was
 * lost: what is left does not say which sessions are open.
 */
final class CutLedger extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CutLedger(long begin) {
    super(
        "session-ledger begins at offset "
            + begin
            + " and triage has no state of what was before; restore triage's changelog topics, or"
            + " delete all topics of this prefix and start again");
  }
}
