package dev.flyball.contract.json;

/** A record is not what its topic specifies; the message is the reason in dead-letters. */
public final class UnreadableRecord extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the failure with its reason, one line. */
  public UnreadableRecord(String reason) {
    super(reason);
  }
}
