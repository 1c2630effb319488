package dev.flyball.tracker.text;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.parser.Parser;

/**
 * Whether a text is HTML. Trackers do not say, and reading {@code a < b} or {@code List<String>} as
 * HTML would lose text, so only complete tags of known elements count.
 */
final class HtmlSigns {
  /** A character reference, as regular expression. */
  static final String REFERENCE =
      "&(?:[a-zA-Z][a-zA-Z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});";

  private static final String BLOCKS =
      "address|article|aside|blockquote|body|br|center|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|head|header|hr|html"
          + "|li|main|nav|ol|p|pre|section|table|tbody|td|tfoot|th|thead|tr|ul";
  private static final String INLINES =
      "a|abbr|b|big|button|cite|code|del|em|font|i|iframe|img|input|ins|kbd|label|mark|meta|noscript|o:p|q|s|samp|script"
          + "|small|span|strike|strong|style|sub|sup|svg|tt|u|var|video";

  /**
   * Names too similar to plain words to recognise HTML by them; in Markdown text they still count
   * as tags.
   */
  private static final String FURTHER =
      "audio|base|bdi|bdo|canvas|caption|col|colgroup|details|dfn|embed|figcaption|frameset|g-emoji|link|map|noframes|object"
          + "|option|picture|rp|rt|ruby|source|summary|template|time|title|track|wbr";

  // A tag with words but no "=" is rather "a <b and c> d" than markup. Possessive, because a long
  // row of "=" would take the square of its length.
  private static final String END = "(?:\\s*/?>|\\s[^<>=]*+=[^<>]*+>)";
  private static final Pattern TAG =
      Pattern.compile(
          "<(?:!doctype\\b|!--|(/?)(" + BLOCKS + "|" + INLINES + ")" + END + ")",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern BLOCK =
      Pattern.compile("</?(?:" + BLOCKS + ")" + END, Pattern.CASE_INSENSITIVE);
  private static final Pattern REFERENCES = Pattern.compile(REFERENCE);
  private static final Pattern KNOWN = Pattern.compile(BLOCKS + "|" + INLINES + "|" + FURTHER);

  private static final Set<String> EMPTY = Set.of("br", "hr", "img", "input", "meta");

  /** Elements that a whole text can be in, and that people write without their ends. */
  private static final Pattern AROUND =
      Pattern.compile(
          "\\s*<(?:html|head|body|div|p|span|ul|ol|li|table|tr|pre|h[1-3]|blockquote)>",
          Pattern.CASE_INSENSITIVE);

  private HtmlSigns() {}

  /** Whether HTML has an element of that name, in lower case. */
  static boolean known(String name) {
    return KNOWN.matcher(name).matches();
  }

  /**
   * Whether the text has markup: a tag with an attribute, without content, with an end, or around
   * all of the text. A name in angle brackets alone is rather a word of the text.
   */
  static boolean hasTags(String text) {
    if (AROUND.matcher(text).lookingAt()) {
      return true;
    }
    var opened = new HashSet<String>();
    var closed = new HashSet<String>();
    Matcher tags = TAG.matcher(text);
    while (tags.find()) {
      if (tags.group(2) == null || tags.group().contains("=")) {
        return true;
      }
      String name = tags.group(2).toLowerCase(Locale.ROOT);
      (tags.group(1).isEmpty() ? opened : closed).add(name);
      if (EMPTY.contains(name) || (opened.contains(name) && closed.contains(name))) {
        return true;
      }
    }
    return false;
  }

  /** Whether line structure is given by markup; if not, the text's own line breaks are. */
  static boolean hasBlocks(String text) {
    return BLOCK.matcher(text).find();
  }

  /** A text that is free of tags but encoded, with its characters instead of their references. */
  static String withoutEntities(String text) {
    return REFERENCES
        .matcher(text)
        .replaceAll(
            found -> Matcher.quoteReplacement(Parser.unescapeEntities(found.group(), false)));
  }
}
