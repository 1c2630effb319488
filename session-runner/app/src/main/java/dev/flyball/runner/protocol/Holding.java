package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;

/**
 * The state of one session of this runner, from its effective claim until the ledger shows its end.
 */
sealed interface Holding {

  /** The session may run until its fence. */
  record Live(Fence fence) implements Holding {
    Live extended(Fence to) {
      return to.fenceAt() > fence.fenceAt() ? new Live(to) : this;
    }

    Killing fenced() {
      return new Killing();
    }

    Orphan leaseEnded() {
      return new Orphan();
    }
  }

  /**
   * The session reached its fence, which is final. It is renewed until its tree is verified dead,
   * so an unkillable tree keeps its slot.
   */
  record Killing() implements Holding {
    Orphan leaseEnded() {
      return new Orphan();
    }
  }

  /**
   * The session's lease has ended in the ledger while its tree may live. Nothing is left to renew
   * or release.
   */
  record Orphan() implements Holding {}

  /**
   * The session's tree is verified dead; the release is repeated until the ledger shows the end.
   */
  record Dead(LedgerEntry.Release release, long since, long nextSend) implements Holding {
    Dead sent(long next) {
      return new Dead(release, since, next);
    }
  }
}
