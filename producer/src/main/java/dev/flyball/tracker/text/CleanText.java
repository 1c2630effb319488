package dev.flyball.tracker.text;

import java.util.List;

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
    return Tidy.lines(HtmlSigns.withoutEntities(field));
  }

  /** Cleans a title, which has no markup in any tracker: its words on one line. */
  public static String title(String field) {
    return Tidy.line(field);
  }

  /** Cleans text that has no markup, or that must keep it. */
  public static String plain(String text) {
    return Tidy.lines(text);
  }
}
