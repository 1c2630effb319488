package dev.flyball.triage.item;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.Snapshot;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/** Whether two snapshots of an item mean the same: by fingerprint, never by revision alone. */
final class Sameness {
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
  private static final Pattern MARKS = Pattern.compile("[^\\p{L}\\p{N}]+");
  private static final Set<String> FIELDS =
      Set.of("comments", "priority", "state", "tags", "text", "title", "type", "url");

  private Sameness() {}

  /**
   * Compares fingerprints of one version. Fingerprints of two versions cannot be compared. Then the
   * item is unchanged if the tracker's data agree (same revision and change time), or if every
   * field in the seen snapshot's fingerprint is the same. The configuration under which the known
   * snapshot was read no longer matters. Where the rules for cleaning text changed too, only the
   * text's letters and digits are compared: an upgrade must not cost each item a session. Comments
   * are never compared here: items that were not read since have got some, or more of them.
   */
  static boolean same(Snapshot known, Snapshot seen) {
    if (known.fingerprint().version().equals(seen.fingerprint().version())) {
      return known.fingerprint().hash().equals(seen.fingerprint().hash());
    }
    return sameRevision(known, seen) || sameContent(known, seen);
  }

  /** Whether the tracker's times show that the seen snapshot is not newer. */
  static boolean notNewer(Snapshot known, Snapshot seen) {
    return known.changedAt() != null
        && seen.changedAt() != null
        && !seen.changedAt().isAfter(known.changedAt());
  }

  /**
   * Whether one is certainly older than the other: it changed earlier, or at the same moment with a
   * lower revision. Nothing is certain if the revision contradicts the time, the tracker has no
   * numbered revisions, or a time is missing.
   */
  static boolean older(Snapshot one, Snapshot other) {
    if (one.changedAt() == null || other.changedAt() == null) {
      return false;
    }
    int byTime = one.changedAt().compareTo(other.changedAt());
    int byRevision = Long.compare(number(one.revision()), number(other.revision()));
    return byTime < 0 ? byRevision <= 0 : byTime == 0 && byRevision < 0;
  }

  /** The revision as a number; 0 for one that is no number, as for a tracker without revisions. */
  private static long number(String revision) {
    return NUMBER.matcher(revision).matches() ? Long.parseLong(revision) : 0;
  }

  private static boolean sameRevision(Snapshot a, Snapshot b) {
    return a.changedAt() != null
        && a.revision().equals(b.revision())
        && a.changedAt().equals(b.changedAt());
  }

  private static boolean sameContent(Snapshot known, Snapshot seen) {
    return known.closed() == seen.closed()
        && fields(seen.fingerprint()).stream().allMatch(field -> same(field, known, seen));
  }

  /** The fields of a fingerprint; all fields where its version does not name them. */
  private static Set<String> fields(Fingerprint fingerprint) {
    String version = fingerprint.version();
    var named = Set.copyOf(List.of(version.substring(version.indexOf(':') + 1).split(",")));
    return FIELDS.containsAll(named) ? named : FIELDS;
  }

  private static boolean same(String field, Snapshot a, Snapshot b) {
    return switch (field) {
      case "comments" -> true;
      case "priority" -> a.priority() == b.priority();
      case "state" -> a.state().equals(b.state());
      case "tags" -> a.tags().equals(b.tags());
      case "text" ->
          a.fingerprint().sameRules(b.fingerprint())
              ? a.description().equals(b.description())
              : words(a.description()).equals(words(b.description()));
      case "title" -> a.title().equals(b.title());
      case "type" -> a.type().equals(b.type());
      case "url" -> Objects.equals(a.url(), b.url());
      default -> throw new IllegalArgumentException("no fingerprint field '" + field + "'");
    };
  }

  private static String words(String text) {
    return MARKS.matcher(text).replaceAll("");
  }
}
