package dev.flyball.runner.ledger;

import dev.flyball.runner.gate.GateDecision;

/** The runner's own gate, as the ledger's thread asks it: from memory, at once. */
public interface LocalGate {

  /** Decides with this many sessions holding slots. */
  GateDecision decide(int live);
}
