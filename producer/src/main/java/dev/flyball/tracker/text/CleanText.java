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
    if (!HtmlSigns.hasTags(field)) {
      return Tidy.lines(HtmlSigns.withoutEntities(field));
    }
    var spacing = HtmlSigns.hasBlocks(field) ? HtmlText.Spacing.MARKUP : HtmlText.Spacing.LINES;
    String html = field.length() > MAX_MARKUP ? INLINE_DATA.matcher(field).replaceAll("") : field;
    int end = Math.min(html.length(), MAX_MARKUP);
    String text = HtmlText.of(html.substring(0, end), spacing, field);
    return Tidy.lines(text + leftOut(html.length() - end));
  }

  /** The mark of markup that was not parsed; empty if there is none. */
  static String leftOut(int characters) {
    return characters == 0 ? "" : "\n[cut: " + characters + " characters of markup left out]";
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
