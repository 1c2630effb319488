package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far a runner takes part in the ledger's protocol. It only ever does less: a runner that
 * drains claims nothing, one that is stopped does nothing for other runners either, and one that is
 * halted folds no entry. Own sessions are renewed and released in all of them.
 */
final class Participation {
  private boolean draining;
  private boolean halted;
  private @Nullable String stopped;

  boolean claims() {
    return !draining && stopped == null;
  }

  /** A runner that was stopped may be wrong about everything except its own sessions. */
  boolean helpsOthers() {
    return stopped == null;
  }

  boolean folds() {
    return !halted;
  }

  /** Why this runner claims nothing until an operator acts. */
  Optional<String> stopped() {
    return Optional.ofNullable(stopped);
  }

  void drain() {
    draining = true;
  }

  /** Stops claims; the step is returned for the first reason only. */
  Optional<Step> stop(String reason) {
    if (stopped != null) {
      return Optional.empty();
    }
    stopped = reason;
    return Optional.of(new Step.StopClaiming(reason));
  }

  /** Stops the folding too. */
  Optional<Step> halt(String reason) {
    halted = true;
    return stop(reason);
  }

  /** Why no further entry can be folded: the ledger follows rules that this code does not know. */
  static String unknownRules(LedgerState ledger) {
    return "the ledger's rules "
        + ledger.rules()
        + " are newer than this runner's "
        + LedgerState.RULES
        + ": upgrade it";
  }

  /** Why this runner may be wrong about the ledger: a checkpoint shows another state. */
  static String differs(long offset) {
    return "the checkpoint at ledger offset "
        + offset
        + " differs from this runner's reading:"
        + " restart it, and if that repeats, compare the versions of all runners";
  }
}
