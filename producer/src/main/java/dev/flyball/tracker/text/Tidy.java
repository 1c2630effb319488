package dev.flyball.tracker.text;

import java.util.regex.Pattern;

/**
 * The last pass over every text: removes invisible characters and shortens runs of blank lines. One
 * pass, linear.
 */
final class Tidy {
  /** Longest text that is kept, in characters, far longer than what any item may have. */
  static final int MAX_TEXT = 4 * 1024 * 1024;

  private static final int REPLACEMENT = 0xFFFD;

  /**
   * Escape sequences of terminals, which are frequent in pasted logs: without its first, invisible
   * character a sequence would stay as litter such as {@code [31m}. A control sequence has
   * parameters and a final letter; a command string ends with a bell or a backslash, and one that
   * does not end soon is text after a stray escape. The standard also allows a space among
   * parameters, but logs do not contain it, and a stray escape may come before a space and a word.
   */
  private static final Pattern ESCAPES =
      Pattern.compile(
          "(?:\\x1B\\[|\\x9B)[\\x21-\\x3F]*+[\\x40-\\x7E]"
              + "|\\x1B[\\]PX^_][^\\x07\\x1B]{0,2048}+(?:\\x07|\\x1B\\\\)");

  private static final Pattern SPACE = Pattern.compile("[\\n\\t ]+");

  /**
   * Invisible characters that are not of the category of format characters, or not assigned: the
   * rest of Unicode's property Default_Ignorable_Code_Point.
   */
  private static final Pattern IGNORABLE =
      Pattern.compile(
          "[\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u2060-\\u206F\\u3164\\uFE00-\\uFE0F\\uFFA0"
              + "\\uFFF0-\\uFFF8\\x{E0000}-\\x{E0FFF}]");

  private Tidy() {}

  /**
   * Line ends become {@code \n} and no-break spaces become spaces. Terminals' escape sequences are
   * removed as a whole, and control and invisible characters are removed, except those that join or
   * select letters and emoji. Lines lose trailing blanks, outside of fenced code three or more
   * newlines become two, and the ends are trimmed.
   */
  static String lines(String raw) {
    String start = raw.substring(0, Math.min(raw.length(), MAX_TEXT));
    String text = withoutEscapes(start + leftOut(raw, MAX_TEXT));
    var out = new StringBuilder(text.length());
    var blanks = new StringBuilder();
    int newlines = 0;
    int before = ' ';
    int line = 0;
    String fence = "";
    int index = 0;
    while (index < text.length()) {
      int c = text.codePointAt(index);
      index += Character.charCount(c);
      if (lineEnd(c)) {
        boolean half = c == '\r' && index < text.length() && text.charAt(index) == '\n';
        newlines += half ? 0 : 1;
        blanks.setLength(0);
        before = ' ';
      } else if (c == '\t' || Character.getType(c) == Character.SPACE_SEPARATOR) {
        blanks.append(c == '\t' ? '\t' : ' ');
        before = ' ';
      } else if (!invisible(c)
          || means(before, c, index < text.length() ? text.codePointAt(index) : ' ')) {
        if (!out.isEmpty()) {
          if (newlines > 0) {
            fence = fence(fence, out, line);
            out.repeat('\n', fence.isEmpty() ? Math.min(newlines, 2) : newlines);
            line = out.length();
          }
          out.append(blanks);
        }
        newlines = 0;
        before = c;
        blanks.setLength(0);
        out.appendCodePoint(c >= 0xD800 && c <= 0xDFFF ? REPLACEMENT : c);
      }
    }
    return out.toString();
  }

  /** The fence that is open after the line that begins there; empty if none is. */
  private static String fence(String open, StringBuilder out, int line) {
    int at = line;
    while (at < out.length() && "> \t".indexOf(out.charAt(at)) >= 0) {
      at++;
    }
    String mark = out.length() < at + 3 ? "" : out.substring(at, at + 3);
    if (!open.isEmpty()) {
      return mark.equals(open) ? "" : open;
    }
    boolean opens = mark.equals("~~~") || (mark.equals("```") && out.indexOf("`", at + 3) < 0);
    return opens ? mark : "";
  }

  /** The mark of what is behind the longest text that is read; empty if nothing is. */
  static String leftOut(String text, int most) {
    int rest = text.length() - most;
    return rest <= 0 ? "" : "\n[cut: " + rest + " characters left out]";
  }

  /** Few texts have any, and looking for a character costs nothing beside matching at each. */
  private static String withoutEscapes(String text) {
    boolean none = text.indexOf(0x1B) < 0 && text.indexOf(0x9B) < 0;
    return none ? text : ESCAPES.matcher(text).replaceAll("");
  }

  /** The same, with every run of white space as one space: for titles. */
  static String line(String text) {
    return SPACE.matcher(lines(text)).replaceAll(" ");
  }

  private static boolean lineEnd(int c) {
    return (c >= 0x0A && c <= 0x0D) || c == 0x85 || c == 0x2028 || c == 0x2029;
  }

  /**
   * Whether a character is invisible. Instructions to an agent can hide in format characters (tag
   * characters, direction overrides) and in variation selectors. Some signs of this category are
   * visible.
   */
  private static boolean invisible(int c) {
    if (Character.isISOControl(c)) {
      return true;
    }
    if (c < 0x0300) {
      return c == 0xAD;
    }
    return Character.getType(c) == Character.FORMAT
        ? c == 0x061C || (c > 0x08E2 && c != 0x110BD && c != 0x110CD)
        : IGNORABLE.matcher(Character.toString(c)).matches();
  }

  /**
   * Whether an invisible character has a meaning between these two: it joins letters or emoji, or
   * selects the form of the one before it. A run of them has none but for the hidden text in it.
   */
  private static boolean means(int before, int c, int after) {
    return switch (c) {
      case 0x200C, 0x200D -> joins(before) && joins(after);
      case 0xFE0E, 0xFE0F -> before < 0x80 ? after == 0x20E3 : Character.isEmoji(before);
      default -> c >= 0xE0100 && c <= 0xE01EF && Character.isIdeographic(before);
    };
  }

  private static boolean joins(int c) {
    int type = Character.getType(c);
    return c == 0xFE0F
        || (c > 0x7F
            && !invisible(c)
            && (Character.isLetter(c)
                || Character.isEmoji(c)
                || type == Character.NON_SPACING_MARK
                || type == Character.COMBINING_SPACING_MARK));
  }
}
