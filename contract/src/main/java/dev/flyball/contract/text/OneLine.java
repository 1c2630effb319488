package dev.flyball.contract.text;

import org.jspecify.annotations.Nullable;

/** Foreign text as one line: a reason, an error, a cell. */
public final class OneLine {
  private OneLine() {}

  /** The text with one space for each run of white space and control characters. */
  public static String of(@Nullable Object text) {
    return String.valueOf(text).replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
  }

  /** The same, cut to this many UTF-16 units, never within a character. */
  public static String of(@Nullable Object text, int most) {
    return start(of(text), most);
  }

  /** The first line of the text, which for an error is what happened. */
  public static String first(@Nullable Object text) {
    return String.valueOf(text).lines().findFirst().orElse("");
  }

  /** The beginning of a text, at most this many UTF-16 units, never cut within a character. */
  public static String start(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    return text.substring(
        0, most > 0 && Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
  }
}
