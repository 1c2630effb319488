package dev.flyball.program.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** The configuration is invalid; the program prints the problems and exits 2. */
public final class ConfigurationError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  /**
   * One thing that is wrong.
   *
   * @param at where it is written, for example {@code flyball.yaml:3} or {@code --set}; empty if
   *     that is not known
   * @param key the key that it concerns, in an entry of a list without the list; empty for none
   * @param text what is wrong, and what is allowed
   */
  public record Problem(String at, String key, String text) {
    /** One line for a person. */
    public String line() {
      return at.isEmpty() ? text : at + ": " + text;
    }

    /** The line of the file; behind all of them for what is written elsewhere. */
    private int place() {
      String line = at.substring(at.lastIndexOf(':') + 1);
      return line.matches("[0-9]{1,9}") ? Integer.parseInt(line) : Integer.MAX_VALUE;
    }
  }

  /** With every problem that was found, in the order of the lines where they are written. */
  public ConfigurationError(List<Problem> found) {
    List<Problem> all = found.stream().sorted(Comparator.comparingInt(Problem::place)).toList();
    super(all.stream().map(Problem::line).collect(Collectors.joining("\n")));
    this.problems = all;
  }

  /** With one line. */
  public ConfigurationError(String line) {
    this("", line);
  }

  /** What is wrong with the value of a key; who reads its section adds the place. */
  ConfigurationError(String key, String text) {
    this(List.of(new Problem("", key, text)));
  }

  /** Rejects for a key what a check of another module rejects. */
  static void check(String key, Runnable check) {
    try {
      check.run();
    } catch (IllegalArgumentException e) {
      throw new ConfigurationError(key, String.valueOf(e.getMessage()));
    }
  }

  /** What is wrong. */
  public List<Problem> problems() {
    return problems;
  }

  /** One line for each problem. */
  public List<String> lines() {
    return problems.stream().map(Problem::line).toList();
  }

  /**
   * A suggestion for the end of a message: the nearest name by edits.
   *
   * @param otherwise what the message ends with if no name is near enough
   */
  public static String meant(String typed, Collection<String> words, String otherwise) {
    int enough = Math.max(2, (typed.length() + 2) / 3);
    return words.stream()
        .filter(word -> edits(typed, word) <= enough)
        .min(Comparator.<String>comparingInt(word -> edits(typed, word)).thenComparing(w -> w))
        .map(word -> "; did you mean '" + word + "'?")
        .orElse(otherwise);
  }

  /** Levenshtein's distance. */
  private static int edits(String a, String b) {
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
