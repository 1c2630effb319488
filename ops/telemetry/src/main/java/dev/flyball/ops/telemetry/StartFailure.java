package dev.flyball.ops.telemetry;

/**
 * A service cannot start for a reason that a person can mend. The message is one line: what, where,
 * the mend; the program prints it and exits 1, without a stack trace.
 */
public final class StartFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With the line. */
  public StartFailure(String line) {
    super(line);
  }

  /** With the line and what led to it, for the log. */
  public StartFailure(String line, Throwable cause) {
    super(line, cause);
  }
}
