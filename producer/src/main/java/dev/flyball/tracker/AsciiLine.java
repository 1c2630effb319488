package dev.flyball.tracker;

import java.text.Normalizer;

/** Text of trackers and programs as we print it: one line of ASCII, not too long. */
public final class AsciiLine {
  /** Most characters of a whole line. */
  private static final int MOST = 500;

  /** Most characters of a part of a line. */
  private static final int PART = 300;

  private AsciiLine() {}

  /** A whole line. */
  public static String of(String text) {
    return of(text, MOST);
  }

  /** A part of a line with more text after it: without the full stop at its end. */
  public static String part(String text) {
    String line = of(text, PART);
    return line.endsWith(".") && !line.endsWith("...")
        ? line.substring(0, line.length() - 1)
        : line;
  }

  /** Text of at most this length. Accents go; other non-ASCII letters become question marks. */
  public static String of(String text, int most) {
    // Four times the length is enough for what normalizing adds, and bounds the work on a huge
    // text.
    String head = text.length() <= 4 * most ? text : text.substring(0, 4 * most);
    String plain =
        Normalizer.normalize(head, Normalizer.Form.NFKD)
            .replaceAll("\\p{M}+", "")
            .replaceAll("[\\s\\p{Cntrl}]+", " ")
            .replaceAll("[^ -~]+", "?")
            .strip();
    return plain.length() <= most ? plain : plain.substring(0, most - 3) + "...";
  }
}
