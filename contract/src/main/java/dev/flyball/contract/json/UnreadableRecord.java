package dev.flyball.contract.json;

/**
 * A record's bytes are not what its topic promises. The message is the reason that dead-letters
 * carries.
 */
public final class UnreadableRecord extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With the reason, one line. */
  public UnreadableRecord(String reason) {
    super(reason);
  }
}
