package dev.flyball.producer.source.http;

import java.text.Normalizer;

/** Words of others as we print them: one line of ASCII, not too long. */
final class OneLine {
  /** Of a whole line. */
  static final int MOST = 500;

  private OneLine() {}

  static String of(String text) {
    return of(text, MOST);
  }

  /** Accents are dropped, other foreign letters become question marks. */
  static String of(String text, int most) {
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
