package dev.flyball.runner.events;

/** The broker rejects a record for good: sending the same record again changes nothing. */
public final class RecordRejected extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the failure. */
  public RecordRejected(String reason) {
    super(reason);
  }
}
