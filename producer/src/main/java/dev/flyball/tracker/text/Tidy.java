package dev.flyball.tracker.text;

import java.util.regex.Pattern;

/**
 * The last pass over every text: removes invisible characters and shortens runs of blank lines. One
 * pass, linear.
 */
final class Tidy {
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

  private Tidy() {}

  /**
   * Line ends become {@code \n} and no-break spaces become spaces. Terminals' escape sequences are
   * removed as a whole, and control and invisible characters are removed, except those that join
   * letters and emoji. Lines lose trailing blanks, three or more newlines become two, and the ends
   * are trimmed.
   */
  static String lines(String raw) {
    String text = withoutEscapes(raw);
    var out = new StringBuilder(text.length());
    var blanks = new StringBuilder();
    int newlines = 0;
    int index = 0;
    while (index < text.length()) {
      int c = text.codePointAt(index);
      index += Character.charCount(c);
      if (lineEnd(c)) {
        boolean half = c == '\r' && index < text.length() && text.charAt(index) == '\n';
        newlines += half ? 0 : 1;
        blanks.setLength(0);
      } else if (c == '\t' || Character.getType(c) == Character.SPACE_SEPARATOR) {
        blanks.append(c == '\t' ? '\t' : ' ');
      } else if (!invisible(c)) {
        if (!out.isEmpty()) {
          out.repeat('\n', Math.min(newlines, 2)).append(blanks);
        }
        newlines = 0;
        blanks.setLength(0);
        out.appendCodePoint(c >= 0xD800 && c <= 0xDFFF ? REPLACEMENT : c);
      }
    }
    return out.toString();
  }

  /** Few texts have any, and looking for a character costs nothing beside matching at each. */
  private static String withoutEscapes(String text) {
    boolean none = text.indexOf(0x1B) < 0 && text.indexOf(0x9B) < 0;
    return none ? text : ESCAPES.matcher(text).replaceAll("");
  }

  /** The same, with every run of white space as one space: for titles. */
  static String line(String text) {
    String lines = lines(text);
    var out = new StringBuilder(lines.length());
    for (int i = 0; i < lines.length(); i++) {
      char c = lines.charAt(i);
      boolean space = c == '\n' || c == '\t' || c == ' ';
      if (!space) {
        out.append(c);
      } else if (out.charAt(out.length() - 1) != ' ') {
        out.append(' ');
      }
    }
    return out.toString();
  }

  private static boolean lineEnd(int c) {
    return (c >= 0x0A && c <= 0x0D) || c == 0x85 || c == 0x2028 || c == 0x2029;
  }

  /**
   * Whether a character is invisible. Instructions to an agent can hide in format characters (tag
   * characters, direction overrides). Zero-width joiners are kept because they carry meaning in
   * emoji and Persian, as are some visible Arabic signs of this category.
   */
  private static boolean invisible(int c) {
    if (Character.isISOControl(c)) {
      return true;
    }
    return Character.getType(c) == Character.FORMAT
        && c != 0x200C
        && c != 0x200D
        && !(c >= 0x0600 && c <= 0x08E2)
        && c != 0x110BD
        && c != 0x110CD;
  }
}
