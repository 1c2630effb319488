package dev.flyball.standalone.terminal;

import java.io.PrintStream;
import java.util.Map;

/**
 * What a command reads from and writes to.
 *
 * @param out answers only, so that they can be piped
 * @param err progress and errors
 * @param outIsTty whether a person reads the answers: then tables are aligned, else TSV
 * @param errIsTty whether a person watches the progress
 */
public record Terminal(
    PrintStream out,
    PrintStream err,
    boolean outIsTty,
    boolean errIsTty,
    Map<String, String> environment) {
  public Terminal {
    environment = Map.copyOf(environment);
  }

  /** One line on standard error. */
  public void say(String line) {
    err.println(line);
  }

  /** Whether a title may be bold: a person reads, and NO_COLOR does not forbid it. */
  public boolean decorated() {
    return outIsTty
        && environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "dumb").equals("dumb");
  }
}
