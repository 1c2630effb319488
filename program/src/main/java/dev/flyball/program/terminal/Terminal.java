package dev.flyball.program.terminal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The input and output of a command.
 *
 * @param out answers only, so that they can be piped
 * @param err progress and errors
 * @param outIsTty whether a person reads the answers: then tables are aligned, else TSV
 * @param errIsTty whether a person watches the progress
 * @param in where a person answers; empty if there is no terminal
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

  /** Prints one line of the answer. It may contain foreign text. */
  public void print(String line) {
    out.println(PlainText.line(line));
  }

  /** The same of what needs a person. */
  public void printRed(String line) {
    out.println(red(PlainText.line(line)));
  }

  /** Prints one line on standard error. */
  public void say(String line) {
    err.println(line);
  }

  /** Prints one line on standard error, with the name of the program before it. */
  public void note(String line) {
    say("flyball: " + line);
  }

  /** Asks a question: true for yes, false for any other answer; empty if there is no terminal. */
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

  /** A line in bold, where that is possible. */
  public String bold(String line) {
    return decorated() ? "\033[1m" + line + "\033[0m" : line;
  }

  /** What needs a person, in red where that is possible. */
  public String red(String text) {
    return decorated() ? "\033[31m" + text + "\033[0m" : text;
  }

  /** How many characters fit into a line; the launcher asks the terminal. */
  public int width() {
    String columns = environment.getOrDefault("COLUMNS", "");
    return columns.matches("[1-9][0-9]{1,4}") ? Integer.parseInt(columns) : 80;
  }

  /** Whether text may be bold or red: a person reads it, and NO_COLOR is not set. */
  public boolean decorated() {
    return redraws() && environment.getOrDefault("NO_COLOR", "").isEmpty();
  }

  /** Whether a screen can be redrawn: a person reads it, and the terminal can clear itself. */
  public boolean redraws() {
    return outIsTty && !environment.getOrDefault("TERM", "dumb").equals("dumb");
  }
}
