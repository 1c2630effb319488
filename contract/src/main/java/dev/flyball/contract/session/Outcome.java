package dev.flyball.contract.session;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** How a session ended. The label is the value in records and of every metric tag. */
public enum Outcome {
  /** The agent answered. */
  COMPLETED("completed"),
  /** The agent ended without an answer. */
  FAILED("failed"),
  /** One of the session's own deadlines ended it. */
  TIMED_OUT("timedOut"),
  /** An operator or the tracker no longer wants it. */
  CANCELLED("cancelled"),
  /** A shutdown, late claim, spent budget or provider's limit ended it; uses up no attempt. */
  INTERRUPTED("interrupted"),
  /** Its lease expired; a separate limit applies. */
  LOST("lost");

  private final String label;

  Outcome(String label) {
    this.label = label;
  }

  /** The value in records. */
  @JsonValue
  public String label() {
    return label;
  }

  /** Finds an outcome by its label. */
  @JsonCreator
  public static Outcome ofLabel(String label) {
    for (Outcome outcome : values()) {
      if (outcome.label.equals(label)) {
        return outcome;
      }
    }
    throw new IllegalArgumentException("'" + label + "' is no outcome");
  }
}
