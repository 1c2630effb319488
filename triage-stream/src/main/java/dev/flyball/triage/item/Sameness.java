package dev.flyball.triage.item;

import dev.flyball.contract.item.Snapshot;
import java.util.Objects;
import java.util.regex.Pattern;

/** Whether two snapshots of an item mean the same: by fingerprint, never by revision. */
final class Sameness {
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

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

  /** Whether the tracker does not say that the seen one is newer. */
  static boolean notNewer(Snapshot known, Snapshot seen) {
    return known.changedAt() != null
        && seen.changedAt() != null
        && !seen.changedAt().isAfter(known.changedAt());
  }

  /**
   * Whether one is certainly older than the other: it changed earlier, or in the same moment with a
   * lower revision. A revision that contradicts the time, a tracker that counts none, and a missing
   * time make nothing certain.
   */
  static boolean older(Snapshot one, Snapshot other) {
    if (one.changedAt() == null || other.changedAt() == null) {
      return false;
    }
    int byTime = one.changedAt().compareTo(other.changedAt());
    int byRevision = Long.compare(number(one.revision()), number(other.revision()));
    return byTime < 0 ? byRevision <= 0 : byTime == 0 && byRevision < 0;
  }

  /** The revision as a number; 0 for one that is none, as for a tracker without revisions. */
  private static long number(String revision) {
    return NUMBER.matcher(revision).matches() ? Long.parseLong(revision) : 0;
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
