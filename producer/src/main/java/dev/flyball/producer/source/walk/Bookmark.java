package dev.flyball.producer.source.walk;

import dev.flyball.producer.source.Watermark;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How far a list was read, as a cursor keeps it; its text is the cursor. */
public sealed interface Bookmark {

  /** To its end. */
  record End(Watermark watermark) implements Bookmark {
    @Override
    public String toString() {
      return watermark.toString();
    }
  }

  /**
   * In its midst. What is read from here on still belongs to the reading that began then: only its
   * end makes a watermark, and that one counts from the beginning, because whatever was changed
   * since may have been passed by.
   *
   * @param place every older change was read
   * @param query as {@link Watermark#query}
   * @param began when the first part of it was asked for, by the tracker's clock
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

  /** What a cursor says of this query; the beginning for none, or one of another shape or query. */
  static Bookmark read(@Nullable String cursor, String query) {
    return Midst.read(cursor == null ? "" : cursor, query)
        .orElseGet(() -> new End(Watermark.read(cursor, query).orElse(Watermark.none(query))));
  }
}
