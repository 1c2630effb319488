package dev.flyball.program;

import dev.flyball.program.cli.Flyball;
import dev.flyball.program.terminal.Terminal;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/** Every command begins here; the only place that reads the environment and ends the process. */
public final class FlyballMain {

  private FlyballMain() {}

  /** Runs one command and exits with its code. */
  public static void main(String[] arguments) {
    // Kafka names the files of its logs with digits of the default locale: under another locale a
    // start over the same data would not find them.
    Locale.setDefault(Locale.ROOT);
    // Item text is UTF-8 whatever the locale says; our own text is ASCII anyway.
    var out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    var err =
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
    var terminal =
        new Terminal(
            out,
            err,
            Boolean.getBoolean("flyball.tty.out"),
            Boolean.getBoolean("flyball.tty.err"),
            System.getenv(),
            person());
    System.exit(Flyball.execute(terminal, arguments));
  }

  /**
   * The person at the terminal: questions are written to standard error, answers read from standard
   * input. Empty if there is no terminal.
   */
  private static Optional<BufferedReader> person() {
    return Boolean.getBoolean("flyball.tty.in") && Boolean.getBoolean("flyball.tty.err")
        ? Optional.of(
            new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())))
        : Optional.empty();
  }
}
