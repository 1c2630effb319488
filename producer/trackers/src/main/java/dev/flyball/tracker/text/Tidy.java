package dev.flyball.tracker.text;

/**
 * The last pass over every text: removes invisible characters and shortens runs of blank lines. One
 * pass, linear.
 */
final class Tidy {
  private static final int REPLACEMENT = 0xFFFD;

  private Tidy() {}

  /**
   * Line ends become {@code \n} and no-break spaces become spaces. Terminals' escape sequences are
   * removed as a whole, and control and invisible characters are removed, except those that join
   * letters and emoji. Lines lose trailing blanks, three or more newlines become two, and the ends
   * are trimmed.
   */
  static String lines(String text) {
    var out = new StringBuilder(text.length());
    var blanks = new StringBuilder();
    int newlines = 0;
    int index = 0;
    while (index < text.length()) {
      int c = text.codePointAt(index);
      index = Escapes.after(text, index, c);
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
