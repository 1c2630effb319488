package dev.flyball.program.cli;

import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.Nearest;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.util.Optional;
import java.util.TreeSet;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints each error as one line that names the fix, and chooses the exit code. */
record ErrorLines(Terminal terminal) {
  /** The command line cannot be parsed. */
  Exit usage(ParameterException e) {
    CommandSpec command = e.getCommandLine().getCommandSpec();
    String line =
        e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()
            ? unmatched(command, unmatched.getUnmatched().getFirst())
            : noNumber(e).orElseGet(() -> oneLine(e));
    terminal.note(line + " (see ./" + command.qualifiedName() + " --help)");
    return Exit.USAGE;
  }

  /** A command or option that does not exist, with the nearest one that does. */
  static String unmatched(CommandSpec command, String name) {
    var known = new TreeSet<>(command.subcommands().keySet());
    known.addAll(command.optionsMap().keySet());
    String what = name.startsWith("-") ? "option" : known.contains("run") ? "command" : "argument";
    return "no such " + what + " '" + name + "'" + Nearest.meant(name, known);
  }

  /** An argument that is not a number, in our words rather than Java's. */
  private static Optional<String> noNumber(ParameterException e) {
    ArgSpec argument = e.getArgSpec();
    if (argument == null || argument.type() != int.class || e.getValue() == null) {
      return Optional.empty();
    }
    String name =
        argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    return Optional.of(
        name + ": '" + e.getValue() + "' is not a whole number from 1 to " + Integer.MAX_VALUE);
  }

  /** The command has failed. */
  Exit failed(Exception e) {
    return switch (e) {
      case ConfigurationError rejected -> {
        rejected.lines().forEach(terminal::note);
        yield Exit.USAGE;
      }
      case StartFailure failure -> {
        terminal.note(oneLine(failure));
        yield Exit.FAILED;
      }
      default -> {
        // For the log file; standard error gets the one line and no stack trace.
        LoggerFactory.getLogger(Flyball.class).warn("a command failed", e);
        terminal.note(oneLine(e));
        yield Exit.FAILED;
      }
    };
  }

  private static String oneLine(Exception e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return OneLine.of(message);
  }
}
