package dev.flyball.tracker.azure.wiql;

import dev.flyball.contract.item.Fingerprint;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How far changes were read: the newest change seen, and whether the tracker's index must have
 * shown everything up to it. Until then each poll reads an hour before it again. From then on polls
 * read only what is newer, so that a quiet source costs one query.
 *
 * <p>Other trackers have a {@link dev.flyball.tracker.Watermark}, which uses the time of the poll's
 * beginning. This cursor uses the tracker's own time of its query, and has its own text format,
 * which is kept in poll-state and must stay readable.
 *
 * @param query which query it belongs to: another one finds other items, however old their changes
 * @param changed the newest System.ChangedDate seen, null if there was none
 * @param settled whether a poll an hour or more later read that hour again
 */
public record WiqlCursor(String query, @Nullable Instant changed, boolean settled) {
  /** How late a change may appear in queries, which read an index. */
  public static final Duration OVERLAP = Duration.ofHours(1);

  private static final String MARK = "wiql1";

  /** The cursor before anything was read. */
  public static WiqlCursor none(String place, String query) {
    var parts = new TreeMap<String, String>();
    parts.put("place", place);
    parts.put("query", query);
    return new WiqlCursor(Fingerprint.of(parts).hash().substring(0, 8), null, false);
  }

  /** The cursor in this text, if it is of the same query; else this one. */
  public WiqlCursor orAsIn(@Nullable String cursor) {
    String[] parts = cursor == null ? new String[0] : cursor.split("/", -1);
    if (parts.length != 4 || !parts[0].equals(MARK) || !parts[1].equals(query)) {
      return this;
    }
    try {
      return new WiqlCursor(query, Instant.parse(parts[2]), parts[3].equals("settled"));
    } catch (DateTimeException e) {
      return this;
    }
  }

  /** The time from which changes are read; empty for all. */
  public Optional<Instant> readsFrom() {
    return Optional.ofNullable(changed).map(at -> settled ? at.plusMillis(1) : at.minus(OVERLAP));
  }

  /**
   * The cursor after a poll that read from {@link #readsFrom} on.
   *
   * @param newest change that it read, null for none
   * @param asOf the tracker's time of its last query, null if unknown. A change later than that
   *     does not prove that all changes before it were listed
   */
  public WiqlCursor after(@Nullable Instant newest, @Nullable Instant asOf) {
    Instant seen = newest == null || asOf == null || newest.isBefore(asOf) ? newest : asOf;
    boolean moves = seen != null && (changed == null || seen.isAfter(changed));
    Instant at = moves ? seen : changed;
    boolean still = settled && !moves;
    return new WiqlCursor(
        query, at, still || (at != null && asOf != null && !asOf.isBefore(at.plus(OVERLAP))));
  }

  /** The cursor's text, without white space. */
  @Override
  public String toString() {
    return MARK
        + "/"
        + query
        + "/"
        + (changed == null ? "-" : changed)
        + "/"
        + (settled ? "settled" : "open");
  }
}
