package dev.flyball.program.terminal;

/** The exit codes of every command; their numbers are fixed. */
public enum Exit {
  DONE(0),
  FAILED(1),
  USAGE(2),
  DEGRADED(3),
  UNHEALTHY(4),
  INTERRUPTED(130);

  private final int code;

  Exit(int code) {
    this.code = code;
  }

  /** The number that the process exits with. */
  public int code() {
    return code;
  }
}
