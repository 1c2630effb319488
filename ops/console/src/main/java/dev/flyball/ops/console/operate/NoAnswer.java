package dev.flyball.ops.console.operate;

/** An entry was sent and not acknowledged; it may be in the ledger all the same. */
public final class NoAnswer extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NoAnswer(Throwable cause) {
    super(
        "the ledger did not acknowledge the change ("
            + (cause.getCause() == null ? cause : cause.getCause()).getMessage()
            + "); look how it stands before you repeat it: flyball cap, flyball budget",
        cause);
  }
}
