package dev.flyball.standalone.terminal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a command reads from and writes to.
 *
 * @param out answers only, so that they can be piped
 * @param err progress and errors
 * @param outIsTty whether a person reads the answers: then tables are aligned, else TSV
 * @param errIsTty whether a person watches the progress
 * @param in where a person answers; empty if there is none
 */
public record Terminal(
    PrintStream out,
    PrintStream err,
    boolean outIsTty,
    boolean errIsTty,
    Map<String, String> environment,
    Optional<BufferedReader> in) {
  public Terminal {
    environment = Map.copyOf(environment);
  }

  /** One line on standard error. */
  public void say(String line) {
    err.println(line);
  }

  /** What a person says to a question; no, unless it is a yes. Empty if nobody is there. */
  public Optional<Boolean> confirm(String question) {
    return in.map(reader -> {
      err.print(question + " [y/N] ");
      err.flush();
      try {
        String answer = reader.readLine();
        return answer != null
            && List.of("y", "yes").contains(answer.strip().toLowerCase(Locale.ROOT));
      } catch (IOException e) {
        return false;
      }
    });
  }

  /** Whether a title may be bold: a person reads, and NO_COLOR does not forbid it. */
  public boolean decorated() {
    return redraws() && environment.getOrDefault("NO_COLOR", "").isEmpty();
  }

  /** Whether a screen can be drawn anew: a person reads, and the terminal can clear itself. */
  public boolean redraws() {
    return outIsTty && !environment.getOrDefault("TERM", "dumb").equals("dumb");
  }
}
