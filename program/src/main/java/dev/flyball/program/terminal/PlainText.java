package dev.flyball.program.terminal;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes foreign text safe to print: one line, no control characters, no reordering. */
public final class PlainText {
  /** Controls, ends of lines, what turns the direction of text, and halves of characters. */
  private static final Pattern UNSAFE =
      Pattern.compile("[\\p{Cc}\\p{Cs}\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]");

  private PlainText() {}

  /**
   * Escapes control characters and bidirectional overrides, which could forge a table's other
   * columns or the terminal's state. Letters of any script stay.
   */
  public static String line(String text) {
    return UNSAFE
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(escaped(found.group().charAt(0))));
  }

  private static String escaped(char unsafe) {
    return switch (unsafe) {
      case '\t' -> "\\t";
      case '\n' -> "\\n";
      default ->
          Character.isSurrogate(unsafe) ? "?" : String.format(Locale.ROOT, "\\u%04x", (int) unsafe);
    };
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
}
