package dev.flyball.program.config;

import java.util.List;

/** The configuration is invalid; the program prints the lines and exits 2. */
public final class ConfigurationError extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final transient List<String> lines;

  /** With one line for each problem: where, what, what is allowed. */
  public ConfigurationError(List<String> lines) {
    super(String.join("\n", lines));
    this.lines = List.copyOf(lines);
  }

  /** With one line. */
  public ConfigurationError(String line) {
    this(List.of(line));
  }

  /** One line for each problem. */
  public List<String> lines() {
    return lines;
  }
}
