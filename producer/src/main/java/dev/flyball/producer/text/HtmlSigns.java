package dev.flyball.producer.text;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether a text is HTML. Trackers do not say so, and reading {@code a < b} or {@code List<String>}
 * as HTML would lose words, so only complete tags of known elements count.
 */
final class HtmlSigns {
  private static final String BLOCKS =
      "address|article|aside|blockquote|body|br|center|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|head|header|hr|html"
          + "|li|main|nav|ol|p|pre|section|table|tbody|td|tfoot|th|thead|tr|ul";
  private static final String INLINES =
      "a|abbr|b|big|button|cite|code|del|em|font|i|iframe|img|input|ins|kbd|label|mark|meta|noscript|o:p|q|s|samp|script"
          + "|small|span|strike|strong|style|sub|sup|svg|tt|u|var|video";
  // A tag with words but no "=" is rather "a <b and c> d" than markup. Possessive, because a long
  // row of "=" would take the square of its length.
  private static final String END = "(?:\\s*/?>|\\s[^<>=]*+=[^<>]*+>)";
  private static final Pattern TAG =
      Pattern.compile(
          "<(?:!doctype\\b|!--|/?(" + BLOCKS + "|" + INLINES + ")" + END + ")",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern BLOCK =
      Pattern.compile("</?(?:" + BLOCKS + ")" + END, Pattern.CASE_INSENSITIVE);
  private static final Pattern ENTITY =
      Pattern.compile("&(?:nbsp|amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});");

  private HtmlSigns() {}

  /** Whether the text has markup. */
  static boolean hasTags(String text) {
    Matcher tags = TAG.matcher(text);
    String lower = null;
    while (tags.find()) {
      String name = tags.group(1);
      if (name == null
          || name.length() > 1
          || name.equalsIgnoreCase("p")
          || tags.group().contains("=")) {
        return true;
      }
      // <T> or <s> alone is a type parameter; <b>...</b> is markup.
      lower = lower == null ? text.toLowerCase(Locale.ROOT) : lower;
      if (lower.contains("</" + name.toLowerCase(Locale.ROOT) + ">")
          && lower.contains("<" + name.toLowerCase(Locale.ROOT) + ">")) {
        return true;
      }
    }
    return false;
  }

  /** Whether line structure is given by markup; if not, the text's own line breaks are. */
  static boolean hasBlocks(String text) {
    return BLOCK.matcher(text).find();
  }

  /** Whether the text is free of tags but encoded, its characters written as entities. */
  static boolean hasEntities(String text) {
    return ENTITY.matcher(text).find();
  }
}
