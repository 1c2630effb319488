package dev.flyball.runner.process;

import java.io.IOException;

/** An agent cannot be started, for a reason that a person can mend. */
public final class CannotStart extends IOException {
  private static final long serialVersionUID = 1L;

  private final String reason;

  CannotStart(String reason, String message) {
    super(message);
    this.reason = reason;
  }

  /**
   * A few fixed words for events: {@code not found}, {@code not executable}, {@code no directory},
   * {@code too late}.
   */
  public String reason() {
    return reason;
  }
}
