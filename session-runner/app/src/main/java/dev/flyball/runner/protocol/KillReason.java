package dev.flyball.runner.protocol;

/** Why the lease protocol ends a session. */
public enum KillReason {
  /** No renewal was seen to take effect in time. */
  FENCED("lease fence"),
  /** The ledger shows the end of the lease while the session lives. */
  LEASE_ENDED("lease ended"),
  /** The ledger is another one, was cut, or has rules that this code does not know. */
  LEDGER_UNUSABLE("ledger unusable");

  private final String label;

  KillReason(String label) {
    this.label = label;
  }

  /** The reason as events carry it. */
  public String label() {
    return label;
  }
}
