package dev.flyball.tracker.text;

import java.util.List;
import org.jsoup.parser.Parser;

/**
 * What a person would read in a tracker's field, as plain text. Markup, scripts and hidden parts
 * are removed; line structure, lists, tables, code and addresses stay. Never throws, and takes time
 * linear in its input, whatever the input.
 */
public final class CleanText {
  private CleanText() {}

  /**
   * Cleans a field that may be HTML or plain text.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(String field) {
    if (HtmlSigns.hasTags(field)) {
      var spacing =
          HtmlSigns.hasBlocks(field) ? TextWriter.Spacing.MARKUP : TextWriter.Spacing.LINES;
      return Tidy.lines(HtmlRenderer.text(field, spacing, List.of(), field));
    }
    return Tidy.lines(HtmlSigns.hasEntities(field) ? Parser.unescapeEntities(field, false) : field);
  }

  /** Cleans a title: the same on one line. */
  public static String title(String field) {
    return Tidy.line(HtmlSigns.hasEntities(field) ? Parser.unescapeEntities(field, false) : field);
  }
}
