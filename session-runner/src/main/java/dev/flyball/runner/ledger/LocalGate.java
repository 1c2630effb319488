package dev.flyball.runner.ledger;

import dev.flyball.runner.gate.GateDecision;

/** The runner's own gate, as the ledger's thread asks it: from memory, without waiting. */
public interface LocalGate {

  /** Decides with this many sessions holding slots. */
  GateDecision decide(int live);

  /** Slots that processes of earlier sessions take away, because they cannot be ended. */
  default int unkillable() {
    return 0;
  }

  /**
   * Whether the global cap stops this runner's claims now; called in every turn, says so on a
   * change only.
   */
  default void capped(boolean stopped, int cap) {}
}
