package dev.flyball.contract.session;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** How a session ended. The label is the word on the wire and the value of every metric tag. */
public enum Outcome {
  /** The agent answered. */
  COMPLETED("completed"),
  /** The agent ended without an answer. */
  FAILED("failed"),
  /** A deadline of its own ended it. */
  TIMED_OUT("timedOut"),
  /** An operator or the tracker no longer wants it. */
  CANCELLED("cancelled"),
  /** Our own shutdown, a late claim or a provider's limit ended it; uses up no attempt. */
  INTERRUPTED("interrupted"),
  /** Its lease expired; counts towards a limit of its own. */
  LOST("lost");

  private final String label;

  Outcome(String label) {
    this.label = label;
  }

  /** The word on the wire. */
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
