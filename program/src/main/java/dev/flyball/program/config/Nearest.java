package dev.flyball.program.config;

import java.util.Collection;
import java.util.Comparator;

/** Finds the name that a user probably meant. */
public final class Nearest {
  private Nearest() {}

  /**
   * A suggestion for the end of a message: the nearest name by edits.
   *
   * @param otherwise what the message ends with if no name is near enough
   */
  public static String meant(String typed, Collection<String> words, String otherwise) {
    int enough = Math.max(2, typed.length() / 3);
    return words.stream()
        .filter(word -> edits(typed, word) <= enough)
        .min(Comparator.<String>comparingInt(word -> edits(typed, word)).thenComparing(w -> w))
        .map(word -> "; did you mean '" + word + "'?")
        .orElse(otherwise);
  }

  /** Levenshtein's distance. */
  static int edits(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
