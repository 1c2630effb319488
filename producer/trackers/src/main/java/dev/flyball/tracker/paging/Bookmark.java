package dev.flyball.tracker.paging;

import dev.flyball.tracker.Watermark;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How far a list was read, as a cursor records it; its text is the cursor. */
public sealed interface Bookmark {

  /** The list was read to its end. */
  record End(Watermark watermark) implements Bookmark {
    @Override
    public String toString() {
      return watermark.toString();
    }
  }

  /**
   * The list was read partially. What is read from here on still belongs to the reading that began
   * at {@code began}. Only the end of that reading makes a watermark, which counts from its
   * beginning, because a change made since then may have been missed.
   *
   * @param place every older change was read
   * @param query as {@link Watermark#query}
   * @param began when its first part was requested, by the tracker's clock
   * @param afresh whether it began without a watermark
   */
  record Midst(Instant place, String query, Instant began, boolean afresh) implements Bookmark {
    private static final Pattern SHAPE =
        Pattern.compile("([0-9T:.Z-]+);query=([0-9a-f]+);began=([0-9T:.Z-]+)(;afresh)?");

    private static Optional<Bookmark> read(String cursor, String query) {
      Matcher matcher = SHAPE.matcher(cursor);
      if (!matcher.matches() || !matcher.group(2).equals(query)) {
        return Optional.empty();
      }
      try {
        Instant place = Instant.parse(matcher.group(1));
        Instant began = Instant.parse(matcher.group(3));
        return Optional.of(new Midst(place, query, began, matcher.group(4) != null));
      } catch (DateTimeException e) {
        return Optional.empty();
      }
    }

    @Override
    public String toString() {
      return place + ";query=" + query + ";began=" + began + (afresh ? ";afresh" : "");
    }
  }

  /**
   * Reads a cursor of this query; the list's beginning for none, or for one of another shape or
   * query.
   */
  static Bookmark read(@Nullable String cursor, String query) {
    return Midst.read(cursor == null ? "" : cursor, query)
        .orElseGet(() -> new End(Watermark.read(cursor, query).orElse(Watermark.none(query))));
  }
}
