package dev.flyball.producer.source;

import java.text.Normalizer;

/** Words of others as we print them: one line of ASCII, not too long. */
public final class OneLine {
  /** Of a whole line. */
  private static final int MOST = 500;

  /** Of a part of one. */
  private static final int PART = 300;

  private OneLine() {}

  /** A whole line. */
  public static String of(String text) {
    return of(text, MOST);
  }

  /** A part of a line that goes on behind it: without the stop at its end. */
  public static String part(String text) {
    String line = of(text, PART);
    return line.endsWith(".") && !line.endsWith("...")
        ? line.substring(0, line.length() - 1)
        : line;
  }

  /** Accents are dropped, other foreign letters become question marks. */
  public static String of(String text, int most) {
    // Four times is enough for what normalizing adds, and a huge text is not worked through.
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
