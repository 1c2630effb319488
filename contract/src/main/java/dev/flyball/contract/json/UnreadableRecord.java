package dev.flyball.contract.json;

/**
 * A record's bytes are not what its topic specifies. The message is the reason that dead-letters
 * carries.
 */
public final class UnreadableRecord extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the failure with its reason, one line. */
  public UnreadableRecord(String reason) {
    super(reason);
  }
}
