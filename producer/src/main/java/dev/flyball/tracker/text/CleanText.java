package dev.flyball.tracker.text;

import java.util.regex.Pattern;

/**
 * What a person would read in a tracker's field, as plain text. Markup, scripts and hidden parts
 * are removed; line structure, lists, tables, code and addresses stay. Never throws, and takes time
 * linear in its input, whatever the input.
 */
public final class CleanText {
  /**
   * Longest markup that is parsed, in characters: a parsed tree takes some hundred bytes for each
   * tag, so that this is about 100 MB at worst. Markup after it is marked as left out.
   */
  private static final int MAX_MARKUP = 1024 * 1024;

  private static final Pattern INLINE_DATA =
      Pattern.compile("data:[a-zA-Z0-9/+.;=-]{0,100}base64,[A-Za-z0-9+/=\\s]*+");

  private CleanText() {}

  /**
   * Cleans a field that may be HTML or plain text.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(String field) {
    String text = field.length() > MAX_MARKUP ? INLINE_DATA.matcher(field).replaceAll("") : field;
    String start = text.substring(0, Math.min(text.length(), Tidy.MAX_TEXT));
    if (!HtmlSigns.hasTags(start)) {
      return Tidy.lines(HtmlSigns.withoutEntities(start) + Tidy.leftOut(text, Tidy.MAX_TEXT));
    }
    String html = text.substring(0, Math.min(text.length(), MAX_MARKUP));
    var spacing = HtmlSigns.hasBlocks(html) ? HtmlText.Spacing.MARKUP : HtmlText.Spacing.LINES;
    return Tidy.lines(HtmlText.of(html, spacing, html) + Tidy.leftOut(text, MAX_MARKUP));
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
