package dev.flyball.tracker.text;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.parser.Parser;

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
  static final int MAX_MARKUP = 1024 * 1024;

  private static final Pattern REFERENCE =
      Pattern.compile("&(?:[a-zA-Z][a-zA-Z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});");

  /** A tag with words but no "=" is rather "a &lt;b and c> d" than markup. */
  private static final Pattern TAG =
      Pattern.compile(
          "<(?:!(?i:doctype\\b|--)|(/?)([a-zA-Z][a-zA-Z0-9:]*+)(\\s*/?>|\\s[^<>=]*+=[^<>]*+>))");

  /** Signs of HTML besides the elements that give text a form. */
  private static final Set<String> PAGES =
      HtmlText.words("html head body meta script style iframe");

  private static final Set<String> EMPTY = HtmlText.words("br hr img input meta");

  /** Longest text that is kept, in characters, far longer than what any item may have. */
  static final int MAX_TEXT = 4 * 1024 * 1024;

  /**
   * Escape sequences of terminals, of which a pasted log would keep litter such as {@code [31m}. A
   * command string that does not end soon is text after a stray escape.
   */
  private static final Pattern ESCAPES =
      Pattern.compile(
          "(?:\\x1B\\[|\\x9B)[\\x21-\\x3F]*+[\\x40-\\x7E]"
              + "|\\x1B[\\]PX^_][^\\x07\\x1B]{0,2048}+(?:\\x07|\\x1B\\\\)");

  private static final Pattern LINE_END = Pattern.compile("\\R");
  private static final Pattern BLANK = Pattern.compile("[\\p{Zs}&&[^ ]]");
  private static final Pattern HALF = Pattern.compile("\\p{Cs}");
  private static final Pattern SPACE = Pattern.compile("[\\n\\t ]+");

  /**
   * Characters of Unicode's property Default_Ignorable_Code_Point besides those of a category. Two
   * are written as they are: Java looks behind by whole characters only in a pattern with such.
   */
  private static final String IGNORABLE =
      "\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u2060-\\u206F\\u3164\\uFE00-\\uFE0F"
          + "\\uFFA0\\uFFF0-\\uFFF8\uDB40\uDC00-\uDB43\uDFFF";

  /** What may be joined: letters and emoji. */
  private static final String JOINED =
      "[\\p{L}\\p{Mn}\\p{Mc}\\p{IsEmoji}&&[^\\x00-\\x7F\\p{Cf}" + IGNORABLE + "]]";

  /**
   * Control and format characters, of which some are visible, and the other ignorable ones:
   * instructions to an agent can hide in them. One that joins or selects the form of the character
   * before it is group 1 and has a meaning; a run of them has none but for the hidden text in it.
   */
  private static final Pattern INVISIBLE =
      Pattern.compile(
          ("([\\u200C\\u200D](?<=(?:" + JOINED + "|\\uFE0F).)(?=" + JOINED + ")")
              + "|[\\uFE0E\\uFE0F](?<=[\\p{IsEmoji}&&[^\\x00-\\x7F]].)"
              + "|\\uFE0F(?<=[0-9#*].)(?=\\u20E3)"
              + "|[\\x{E0100}-\\x{E01EF}](?<=\\p{IsIdeographic}.))"
              + ("|[\\p{Cc}\\p{Cf}" + IGNORABLE)
              + "&&[^\\n\\t\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\x{110BD}\\x{110CD}]]");

  private static final Pattern TRAILING = Pattern.compile("(?<![ \\t])[ \\t]++(?=\\n|\\z)");

  /** A block of code as group 1, also in quotations and lists, or blank lines outside of one. */
  private static final Pattern BLANK_LINES =
      Pattern.compile(
          "(?ms)(^(?:[>\\t ]|[-*+] |[0-9]{1,9}[.)] )*+(`{3,}+|~{3,}+)[^`\\n]*+$"
              + ".*?(?:^[>\\t ]*+\\2|\\z))|(\\n\\n)\\n+");

  private CleanText() {}

  /**
   * Cleans a field that may be HTML or plain text.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(String field) {
    String text = field.length() > MAX_MARKUP ? HtmlText.withoutData(field) : field;
    String start = text.substring(0, Math.min(text.length(), MAX_TEXT));
    if (!isHtml(start)) {
      return plain(decoded(HtmlText.withoutData(start)) + leftOut(text, MAX_TEXT));
    }
    String html = text.substring(0, Math.min(text.length(), MAX_MARKUP));
    return plain(HtmlText.of(html) + leftOut(text, MAX_MARKUP));
  }

  /** Cleans a title, which has no markup in any tracker: its words on one line. */
  public static String title(String field) {
    return SPACE.matcher(plain(field)).replaceAll(" ");
  }

  /**
   * Cleans text that has no markup, or that must keep it; the last pass over every text. Line ends
   * become {@code \n} and no-break spaces become spaces. Terminals' escape sequences are removed as
   * a whole, and so are invisible characters, except those with a meaning. Lines lose trailing
   * blanks, outside of fenced code several blank lines become one, and the ends are trimmed.
   */
  public static String plain(String raw) {
    String start = raw.substring(0, Math.min(raw.length(), MAX_TEXT)) + leftOut(raw, MAX_TEXT);
    String lines = TRAILING.matcher(isVisible(start) ? start : visible(start)).replaceAll("");
    // Most texts have no run of blank lines, and the search for code costs much.
    return (lines.contains("\n\n\n") ? BLANK_LINES.matcher(lines).replaceAll("$1$3") : lines)
        .strip();
  }

  /** Whether it is ASCII without control characters, as most texts are: five passes less. */
  private static boolean isVisible(String text) {
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if ((each < ' ' && each != '\n' && each != '\t') || each > '~') {
        return false;
      }
    }
    return true;
  }

  private static String visible(String text) {
    String lines = LINE_END.matcher(ESCAPES.matcher(text).replaceAll("")).replaceAll("\n");
    String whole = HALF.matcher(BLANK.matcher(lines).replaceAll(" ")).replaceAll("\uFFFD");
    return INVISIBLE.matcher(whole).replaceAll("$1");
  }

  /** The mark of what is behind the longest text that is read; empty if nothing is. */
  static String leftOut(String text, int most) {
    int rest = text.length() - most;
    return rest <= 0 ? "" : "\n[cut: " + rest + " characters left out]";
  }

  /**
   * Whether a text has markup, which trackers do not say: a tag with an attribute, without content
   * or with an end. Any other name in angle brackets is a word of the text, as in {@code
   * List<String>}. C# documents with pairs of summaries.
   */
  private static boolean isHtml(String text) {
    var opened = new HashSet<String>();
    var closed = new HashSet<String>();
    Matcher tags = TAG.matcher(text);
    while (tags.find()) {
      if (tags.group(2) == null) {
        return true;
      }
      String name = tags.group(2).toLowerCase(Locale.ROOT);
      if ((!HtmlText.known(name) && !PAGES.contains(name)) || name.equals("summary")) {
        continue;
      }
      (tags.group(1).isEmpty() ? opened : closed).add(name);
      boolean pair = opened.contains(name) && closed.contains(name);
      if (pair || EMPTY.contains(name) || tags.group(3).contains("=")) {
        return true;
      }
    }
    return false;
  }

  /** A text that is free of tags but encoded, with its characters instead of their references. */
  private static String decoded(String text) {
    return REFERENCE
        .matcher(text)
        .replaceAll(
            found -> Matcher.quoteReplacement(Parser.unescapeEntities(found.group(), false)));
  }
}
