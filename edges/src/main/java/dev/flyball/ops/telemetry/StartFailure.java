package dev.flyball.ops.telemetry;

/**
 * A service cannot start for a reason that a person can fix. The message is one line: what, where
 * and how to fix it. The program prints it and exits 1, without a stack trace.
 */
public final class StartFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With the message line. */
  public StartFailure(String line) {
    super(line);
  }

  /** With the message line and its cause, for the log. */
  public StartFailure(String line, Throwable cause) {
    super(line, cause);
  }
}
