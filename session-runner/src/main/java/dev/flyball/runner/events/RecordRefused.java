package dev.flyball.runner.events;

/** The broker refuses a record for good: sending the same again changes nothing. */
public final class RecordRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean tooLarge;

  /**
   * A refusal.
   *
   * @param tooLarge whether a smaller record may be taken
   */
  public RecordRefused(String reason, boolean tooLarge) {
    super(reason);
    this.tooLarge = tooLarge;
  }

  /** Whether a smaller record may be taken. */
  public boolean tooLarge() {
    return tooLarge;
  }
}
