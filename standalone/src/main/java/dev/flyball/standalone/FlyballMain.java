package dev.flyball.standalone;

import dev.flyball.standalone.cli.Flyball;
import dev.flyball.standalone.terminal.Terminal;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Where every command begins. The only place that reads the environment and ends the process. */
public final class FlyballMain {

  private FlyballMain() {}

  /** Runs one command and exits with its code. */
  public static void main(String[] arguments) {
    // Item text is UTF-8 whatever the locale says; our own words are ASCII anyway.
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
            System.getenv());
    System.exit(Flyball.execute(terminal, arguments));
  }
}
