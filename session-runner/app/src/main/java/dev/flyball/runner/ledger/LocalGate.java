package dev.flyball.runner.ledger;

import dev.flyball.runner.gate.GateDecision;

/** The runner's own gate, as the ledger's thread calls it: from memory, without waiting. */
public interface LocalGate {

  /** Decides with this many sessions holding slots. */
  GateDecision decide(int live);

  /** Slots that processes of earlier sessions take away, because they cannot be ended. */
  default int unkillable() {
    return 0;
  }

  /**
   * Records whether the global cap stops this runner's claims now. It is called in every turn, and
   * reports only a change.
   */
  default void capped(boolean stopped, int cap) {}
}
