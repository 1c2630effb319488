package dev.flyball.ops.console.operate;

import java.time.Duration;

/** The ledger does not answer; an entry that was sent may still be in it. */
public final class NoAnswer extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean written;

  /**
   * The change was not acknowledged.
   *
   * @param written whether it may be in the ledger nevertheless
   */
  NoAnswer(Throwable cause, boolean written) {
    super(
        "the ledger did not acknowledge the change ("
            + (cause.getCause() == null ? cause : cause.getCause()).getMessage()
            + "); check the value in force before you repeat it: flyball cap, flyball budget",
        cause);
    this.written = written;
  }

  /**
   * No record was read for this long.
   *
   * @param sent whether the change was acknowledged before
   */
  NoAnswer(Duration silence, boolean sent) {
    super(
        "the ledger cannot be read: no record for "
            + silence.toSeconds()
            + " s; "
            + (sent
                ? "the change was written, check the value in force: flyball cap, flyball budget"
                : "nothing was changed, check the broker"));
    this.written = sent;
  }

  /** Whether the change may be in the ledger, so that a repeat could make it twice. */
  public boolean perhapsWritten() {
    return written;
  }
}
