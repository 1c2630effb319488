package dev.flyball.tracker.paging;

import dev.flyball.contract.item.Fingerprint;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How far a tracker's list was read; its text is the cursor. After the end of the list it names the
 * newest change seen. After a part of the list it names the place where the next part begins, and
 * when the whole reading began: only the end of that reading counts, from its beginning, because a
 * change made since then may have been missed.
 *
 * @param at the newest change seen, or after a part: every older change was read. By the tracker's
 *     clock; the epoch while nothing was seen
 * @param query mark of the place and query. Another query starts from the beginning: what it finds
 *     in addition was changed long before and would otherwise never be seen
 * @param settled whether everything up to {@code at} was surely seen, so that it is not read again
 * @param began when the first part was requested, by the tracker's clock; null after the list's end
 * @param fresh whether this reading in parts began without a cursor
 */
public record TrackerCursor(
    Instant at, String query, boolean settled, @Nullable Instant began, boolean fresh) {
  private static final Pattern SHAPE =
      Pattern.compile(
          "([0-9T:.Z-]+);query=([0-9a-f]+)(?:(;settled)|;began=([0-9T:.Z-]+)(;afresh)?)?");

  private static final int MARK = 12;

  /**
   * The mark of a query.
   *
   * @param parts the place and everything that narrows the result there
   */
  public static String mark(String... parts) {
    var fields = new TreeMap<String, String>();
    for (String part : parts) {
      fields.put("part" + fields.size(), part);
    }
    return Fingerprint.of(fields).hash().substring(0, MARK);
  }

  /** Reads a cursor of this query; the beginning for none, or one of another shape or query. */
  public static TrackerCursor read(@Nullable String cursor, String query) {
    try {
      Matcher now = SHAPE.matcher(cursor == null ? "" : cursor);
      if (now.matches() && now.group(2).equals(query)) {
        Instant began = now.group(4) == null ? null : Instant.parse(now.group(4));
        return new TrackerCursor(
            Instant.parse(now.group(1)), query, now.group(3) != null, began, now.group(5) != null);
      }
    } catch (DateTimeException e) {
      // Not a cursor of ours.
    }
    return new TrackerCursor(Instant.EPOCH, query, false, null, false);
  }

  /** Whether the list was read only in part. */
  public boolean partial() {
    return began != null;
  }

  @Override
  public String toString() {
    return at
        + ";query="
        + query
        + (settled ? ";settled" : "")
        + (began == null ? "" : ";began=" + began + (fresh ? ";afresh" : ""));
  }
}
