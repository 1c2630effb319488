package dev.flyball.runner.events;

/** The broker rejects a record for good: sending the same record again changes nothing. */
public final class RecordRejected extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean tooLarge;

  /**
   * Creates the failure.
   *
   * @param tooLarge whether the broker may accept a smaller record
   */
  public RecordRejected(String reason, boolean tooLarge) {
    super(reason);
    this.tooLarge = tooLarge;
  }

  /** Whether the broker may accept a smaller record. */
  public boolean tooLarge() {
    return tooLarge;
  }
}
