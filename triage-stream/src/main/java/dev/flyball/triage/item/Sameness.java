package dev.flyball.triage.item;

import dev.flyball.contract.item.Snapshot;
import java.util.Objects;

/** Whether two snapshots of an item mean the same: by fingerprint, never by revision. */
final class Sameness {
  private Sameness() {}

  /**
   * Fingerprints of one version are compared. Of two versions they say nothing about each other;
   * then the item is unchanged if the tracker says so (same revision and change time), or if every
   * field that a person sees is the same.
   */
  static boolean same(Snapshot known, Snapshot seen) {
    if (known.fingerprint().version().equals(seen.fingerprint().version())) {
      return known.fingerprint().hash().equals(seen.fingerprint().hash());
    }
    return sameRevision(known, seen) || sameContent(known, seen);
  }

  /** Whether the seen one is certainly not newer than the known one. */
  static boolean older(Snapshot known, Snapshot seen) {
    return known.changedAt() != null
        && seen.changedAt() != null
        && !seen.changedAt().isAfter(known.changedAt());
  }

  private static boolean sameRevision(Snapshot a, Snapshot b) {
    return a.changedAt() != null
        && a.revision().equals(b.revision())
        && a.changedAt().equals(b.changedAt());
  }

  private static boolean sameContent(Snapshot a, Snapshot b) {
    return a.title().equals(b.title())
        && a.text().equals(b.text())
        && a.state().equals(b.state())
        && a.closed() == b.closed()
        && a.type().equals(b.type())
        && a.tags().equals(b.tags())
        && Objects.equals(a.url(), b.url());
  }
}
