package dev.flyball.containment;

import java.io.IOException;

/** An agent cannot be started, for a reason that a person can fix. */
public final class CannotStart extends IOException {
  private static final long serialVersionUID = 1L;

  private final String code;

  /** Names the reason by its code; the message has the fix. */
  public CannotStart(String code, String message) {
    super(message);
    this.code = code;
  }

  /**
   * What is wrong, for events: {@code not-found}, {@code not-executable}, {@code no-directory},
   * {@code user}, {@code cgroup}, {@code containment}.
   */
  public String code() {
    return code;
  }
}
