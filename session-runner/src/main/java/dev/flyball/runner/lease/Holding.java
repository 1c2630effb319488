package dev.flyball.runner.lease;

import dev.flyball.contract.ledger.LedgerEntry;

/** The life of one session of our own, from its effective claim until the ledger shows its end. */
sealed interface Holding {

  /** It may run until its fence. */
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
   * Its fence was met, which is final. It is renewed until its tree is verified dead: an unkillable
   * one keeps its slot.
   */
  record Killing() implements Holding {
    Orphan leaseEnded() {
      return new Orphan();
    }
  }

  /**
   * Its lease has ended in the ledger while its tree may live; there is nothing left to renew or
   * release.
   */
  record Orphan() implements Holding {}

  /** Its tree is verified dead; the release is repeated until the ledger shows the end. */
  record Dead(LedgerEntry.Release release, long since, long nextSend) implements Holding {
    Dead sent(long next) {
      return new Dead(release, since, next);
    }
  }
}
