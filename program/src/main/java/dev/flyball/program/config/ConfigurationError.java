package dev.flyball.program.config;

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
    public Problem {
      text = DurationText.readable(text);
    }

    /** One line for a person. */
    public String line() {
      return at.isEmpty() ? text : at + ": " + text;
    }
  }

  /** With every problem that was found. */
  public ConfigurationError(List<Problem> problems) {
    super(problems.stream().map(Problem::line).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** With one line. */
  public ConfigurationError(String line) {
    this(List.of(new Problem("", "", line)));
  }

  /** What is wrong. */
  public List<Problem> problems() {
    return problems;
  }

  /** One line for each problem. */
  public List<String> lines() {
    return problems.stream().map(Problem::line).toList();
  }
}
