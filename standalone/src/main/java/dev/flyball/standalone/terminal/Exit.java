package dev.flyball.standalone.terminal;

/** Exit codes, fixed. */
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

  /** The number. */
  public int code() {
    return code;
  }
}
