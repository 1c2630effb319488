package dev.flyball.tracker;

import dev.flyball.contract.item.Fingerprint;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How far a tracker was read: the newest change seen, and by which query. Another query starts from
 * the beginning: what it finds in addition was changed long before and would otherwise never be
 * seen.
 *
 * @param at by the tracker's clock; the epoch while nothing was seen
 * @param query mark of the place and query that were asked
 * @param settled whether everything up to it was surely seen, so that nothing need be read again
 */
public record Watermark(Instant at, String query, boolean settled) {
  private static final Pattern SHAPE =
      Pattern.compile("([0-9T:.Z-]+);query=([0-9a-f]+)(;settled)?");
  private static final int MARK = 12;

  /** An unsettled watermark: changes before it are still read again. */
  public Watermark(Instant at, String query) {
    this(at, query, false);
  }

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

  /** The watermark before anything was read. */
  public static Watermark none(String query) {
    return new Watermark(Instant.EPOCH, query, false);
  }

  /** Reads a cursor of this query; empty for none, or one of another shape or query. */
  public static Optional<Watermark> read(@Nullable String cursor, String query) {
    Matcher matcher = SHAPE.matcher(cursor == null ? "" : cursor);
    if (!matcher.matches() || !matcher.group(2).equals(query)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Watermark(Instant.parse(matcher.group(1)), query, matcher.group(3) != null));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** The watermark moved to this change if it is newer; never back. */
  public Watermark seen(Instant change) {
    return change.isAfter(at) ? new Watermark(change, query, false) : this;
  }

  /** The same watermark, settled: everything up to it was surely seen. */
  public Watermark asSettled() {
    return new Watermark(at, query, true);
  }

  /** The cursor's text. */
  @Override
  public String toString() {
    return at + ";query=" + query + (settled ? ";settled" : "");
  }
}
