package dev.flyball.program.cli;

import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.Nearest;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The program {@code flyball}: parses the command line, runs one command, and prints an error as
 * one line.
 */
@Command(
    name = "flyball",
    mixinStandardHelpOptions = true,
    versionProvider = VersionCommand.Provider.class,
    description =
        "Governs agent work: work items in, capped and contained agent sessions, analyses out.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = HelpCommand.class)
public final class Flyball implements Runnable {
  @Spec CommandSpec spec;

  private Flyball() {
    spec = CommandSpec.create();
  }

  /** Runs one command; returns its exit code. */
  public static int execute(Terminal terminal, String... arguments) {
    CommandLine line = new CommandLine(new Flyball());
    for (Function<Terminal, Object> command : commands()) {
      line.addSubcommand(command.apply(terminal));
    }
    line.setOut(new PrintWriter(terminal.out(), true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(terminal.err(), true, StandardCharsets.UTF_8));
    line.setColorScheme(CommandLine.Help.defaultColorScheme(ansi(terminal)));
    line.setUsageHelpLongOptionsMaxWidth(32);
    Optional<String> refused = Platform.refusal(System.getProperty("os.name", ""));
    if (refused.isPresent()) {
      terminal.say("flyball: " + refused.get());
      return Exit.FAILED.code();
    }
    // With an unknown command, --help would print the general help and exit successfully.
    if (arguments.length > 1
        && !arguments[0].startsWith("-")
        && !line.getSubcommands().containsKey(arguments[0])) {
      terminal.say(
          "flyball: " + unmatched(line.getCommandSpec(), arguments[0]) + " (see ./flyball --help)");
      return Exit.USAGE.code();
    }
    line.setParameterExceptionHandler((e, args) -> usage(terminal, e));
    line.setExecutionExceptionHandler((e, command, result) -> failed(terminal, e));
    return line.execute(arguments);
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  private static List<Function<Terminal, Object>> commands() {
    return List.of(
        RunCommand::new,
        UpCommand::new,
        ProducerCommand::new,
        TriageCommand::new,
        RunnerCommand::new,
        ConsoleCommand::new,
        PsCommand::new,
        TopCommand::new,
        ItemsCommand::new,
        ItemCommand::new,
        WhyCommand::new,
        LogsCommand::new,
        AnalysisCommand::new,
        CancelCommand::new,
        RetryCommand::new,
        SkipCommand::new,
        ForgetCommand::new,
        terminal ->
            new CommandLine(new DeadLettersCommand(terminal))
                .addSubcommand(new RequeueCommand(terminal)),
        PollsCommand::new,
        CapCommand::new,
        PauseCommand::new,
        ResumeCommand::new,
        BudgetCommand::new,
        SweepCommand::new,
        TopicsCommand::new,
        ConfigCommand::new,
        InitCommand::new,
        DoctorCommand::new,
        VersionCommand::new);
  }

  private static CommandLine.Help.Ansi ansi(Terminal terminal) {
    return terminal.decorated() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF;
  }

  private static int usage(Terminal terminal, ParameterException e) {
    CommandSpec command = e.getCommandLine().getCommandSpec();
    String line =
        e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()
            ? unmatched(command, unmatched.getUnmatched().getFirst())
            : NoNumber.line(e).orElseGet(() -> oneLine(e));
    terminal.say("flyball: " + line + " (see ./" + command.qualifiedName() + " --help)");
    return Exit.USAGE.code();
  }

  private static String unmatched(CommandSpec command, String word) {
    var known = new TreeSet<>(command.subcommands().keySet());
    known.addAll(command.optionsMap().keySet());
    String what = word.startsWith("-") ? "option" : known.contains("run") ? "command" : "argument";
    return "no such " + what + " '" + word + "'" + Nearest.meant(word, known);
  }

  private static int failed(Terminal terminal, Exception e) {
    return switch (e) {
      case ConfigurationError refused -> {
        refused.lines().forEach(line -> terminal.say("flyball: " + line));
        yield Exit.USAGE.code();
      }
      case StartFailure failure -> {
        terminal.say("flyball: " + oneLine(failure));
        yield Exit.FAILED.code();
      }
      default -> {
        // For the log file; standard error gets the one line and no stack trace.
        LoggerFactory.getLogger(Flyball.class).warn("a command failed", e);
        terminal.say("flyball: " + oneLine(e));
        yield Exit.FAILED.code();
      }
    };
  }

  private static String oneLine(Exception e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return String.join(" ", Stream.of(message.split("\\R")).map(String::strip).toList());
  }
}
