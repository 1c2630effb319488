package dev.flyball.program.terminal;

import java.util.Locale;

/**
 * Makes text from trackers and agents safe to print: one line, no control characters, no
 * reordering.
 */
public final class PlainText {

  private PlainText() {}

  /**
   * Escapes control characters and bidirectional overrides, which could forge a table's other
   * columns or the terminal's state. Letters of any script stay.
   */
  public static String line(String text) {
    var safe = new StringBuilder(text.length());
    text.codePoints().forEach(point -> append(safe, point));
    return safe.toString();
  }

  /** The same, several lines kept. */
  public static String lines(String text) {
    return String.join("\n", text.lines().map(PlainText::line).toList());
  }

  /** The same, cut to a number of characters. */
  public static String cut(String text, int width) {
    String safe = line(text);
    if (safe.codePointCount(0, safe.length()) <= width) {
      return safe;
    }
    int end = safe.offsetByCodePoints(0, Math.max(0, width - 3));
    return safe.substring(0, end) + "...";
  }

  /** The same, cut at its beginning, because the end of a path says more. */
  public static String cutLeft(String text, int width) {
    String safe = line(text);
    int length = safe.codePointCount(0, safe.length());
    return length <= width
        ? safe
        : "..." + safe.substring(safe.offsetByCodePoints(0, length - Math.max(0, width - 3)));
  }

  private static void append(StringBuilder safe, int point) {
    if (point == '\t') {
      safe.append("\\t");
    } else if (point == '\n') {
      safe.append("\\n");
    } else if (Character.isISOControl(point) || directional(point)) {
      safe.append(String.format(Locale.ROOT, "\\u%04x", point));
    } else if (Character.getType(point) == Character.SURROGATE) {
      safe.append('?');
    } else {
      safe.appendCodePoint(point);
    }
  }

  private static boolean directional(int point) {
    return (point >= 0x202a && point <= 0x202e)
        || (point >= 0x2066 && point <= 0x2069)
        || point == 0x200e
        || point == 0x200f
        || point == 0x2028
        || point == 0x2029;
  }
}
