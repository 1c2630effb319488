package dev.flyball.runner.gate;

/**
 * Why no session may start here now.
 *
 * @param kind what prevents it; changes of it are events
 * @param reason the same with figures, one line for a person
 */
public record GateRefusal(Kind kind, String reason) {

  /** What may prevent a start. */
  public enum Kind {
    SWEEPING("sweeping"),
    SLOTS("slots"),
    UNKILLABLE("unkillable processes"),
    DISK("disk"),
    STARTS("hung starts"),
    STRAYS("stray processes"),
    MEMORY("memory"),
    PRESSURE("pressure"),
    LOAD("load");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** The name in {@code runner} entries. */
    public String label() {
      return label;
    }
  }
}
