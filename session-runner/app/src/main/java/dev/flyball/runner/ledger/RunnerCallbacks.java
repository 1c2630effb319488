package dev.flyball.runner.ledger;

import dev.flyball.runner.execution.SessionHandle;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The side of a runner that the ledger's thread calls. No method waits. */
public interface RunnerCallbacks {

  /** The constant part of this runner's entries and claims. */
  Self self();

  /** This runner's gate. */
  LocalGate gate();

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
}
