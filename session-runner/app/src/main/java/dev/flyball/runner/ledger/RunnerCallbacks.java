package dev.flyball.runner.ledger;

import dev.flyball.runner.execution.SessionHandle;
import dev.flyball.runner.gate.GateDecision;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The side of a runner that the ledger's thread calls. No method waits. */
public interface RunnerCallbacks {

  /** The constant part of this runner's entries and claims. */
  Self self();

  /** This runner's gate. */
  Gate gate();

  /** Starts a session on a separate thread. */
  void begin(SessionHandle session);

  /** Takes a request that cannot be read, with the reason. */
  void deadLetter(ConsumerRecord<String, byte[]> consumed, String reason);

  /**
   * The constant part of a runner's entries and claims.
   *
   * @param level containment level
   * @param reserveMicros what each claim holds back, in micro-dollars
   */
  record Self(String id, String level, int slots, long reserveMicros) {}

  /** The runner's own gate, as the ledger's thread calls it: from memory, without waiting. */
  interface Gate {

    /** Decides with this many sessions holding slots. */
    GateDecision decide(int live);

    /** Slots that processes of earlier sessions take away, because they cannot be ended. */
    default int unkillable() {
      return 0;
    }

    /**
     * Records whether the global cap stops this runner's claims now. It is called in every turn,
     * and reports only a change.
     */
    default void capped(boolean stopped, int cap) {}
  }
}
