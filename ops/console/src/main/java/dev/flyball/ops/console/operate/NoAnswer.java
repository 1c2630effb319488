package dev.flyball.ops.console.operate;

import java.time.Duration;

/** The ledger does not answer; an entry that was sent may still be in it. */
public final class NoAnswer extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NoAnswer(Throwable cause) {
    super(
        "the ledger did not acknowledge the change ("
            + (cause.getCause() == null ? cause : cause.getCause()).getMessage()
            + "); check the value in force before you repeat it: flyball cap, flyball budget",
        cause);
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
  }
}
