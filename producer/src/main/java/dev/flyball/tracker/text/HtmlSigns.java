package dev.flyball.tracker.text;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether a text is HTML. Trackers do not say, and reading {@code a < b} or {@code List<String>} as
 * HTML would lose text, so only complete tags of known elements count.
 */
final class HtmlSigns {
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
          "<(?:!doctype\\b|!--|/?(" + BLOCKS + "|" + INLINES + ")" + END + ")",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern BLOCK =
      Pattern.compile("</?(?:" + BLOCKS + ")" + END, Pattern.CASE_INSENSITIVE);
  private static final Pattern ENTITY =
      Pattern.compile("&(?:nbsp|amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});");

  private static final Pattern REFERENCE =
      Pattern.compile("&(?:[a-zA-Z][a-zA-Z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});");
  private static final Pattern KNOWN = Pattern.compile(BLOCKS + "|" + INLINES + "|" + FURTHER);

  private HtmlSigns() {}

  /** Whether HTML has an element of that name, in lower case. */
  static boolean known(String name) {
    return KNOWN.matcher(name).matches();
  }

  /** Whether the text has markup. */
  static boolean hasTags(String text) {
    Matcher tags = TAG.matcher(text);
    Pairs pairs = null;
    while (tags.find()) {
      String name = tags.group(1);
      if (name == null || name.length() > 1 || tags.group().contains("=")) {
        return true;
      }
      pairs = pairs == null ? new Pairs(text.toLowerCase(Locale.ROOT)) : pairs;
      if (pairs.markup(name.toLowerCase(Locale.ROOT))) {
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

  /** Whether a whole character reference begins there. */
  static boolean entityAt(String text, int at) {
    return REFERENCE.matcher(text).region(at, text.length()).lookingAt();
  }

  /** Which one-letter tags are markup: a lone {@code <T>} or {@code <s>} is a type parameter. */
  static final class Pairs {
    private final String text;
    private final Map<String, Boolean> known = new HashMap<>(Map.of("p", true));

    /** Looks for pairs in this text, which is in lower case. */
    Pairs(String lower) {
      this.text = lower;
    }

    /** Whether a tag of that name, in lower case, is opened and closed somewhere. */
    boolean markup(String name) {
      return name.length() > 1
          || known.computeIfAbsent(
              name,
              n ->
                  text.contains("</" + n + ">")
                      && (text.contains("<" + n + ">") || text.contains("<" + n + " ")));
    }
  }
}
