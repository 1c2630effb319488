package dev.flyball.program.cli;

import dev.flyball.contract.text.BundledText;
import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.io.PrintWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.ListResourceBundle;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The program {@code flyball}: parses the command line, runs one command, and prints an error as
 * one line.
 */
@Command(
    name = "flyball",
    mixinStandardHelpOptions = true,
    description =
        "Governs agent work: work items in, capped and contained agent sessions, analyses out.",
    synopsisSubcommandLabel = "COMMAND")
public final class Flyball {
  private static final List<Class<?>> FAMILIES =
      List.of(
          TryCommand.class,
          DrillCommand.class,
          RoleCommands.class,
          SessionViews.class,
          ItemViews.class,
          ActionCommands.class,
          LimitCommands.class,
          SetupCommands.class,
          AuditCommand.class);

  private Flyball() {}

  /** Runs one command; returns its exit code. */
  public static int execute(Terminal terminal, String... arguments) {
    CommandLine line = commandLine(terminal);
    Optional<String> unsupported = unsupported(System.getProperty("os.name", ""));
    if (unsupported.isPresent()) {
      terminal.note(unsupported.get());
      return Exit.FAILED.code();
    }
    // With an unknown command, --help would print the general help and exit successfully.
    if (arguments.length > 1
        && !arguments[0].startsWith("-")
        && !line.getSubcommands().containsKey(arguments[0])) {
      terminal.note(
          ErrorLines.unmatched(line.getCommandSpec(), arguments[0]) + " (see ./flyball --help)");
      return Exit.USAGE.code();
    }
    return line.execute(arguments);
  }

  static CommandLine commandLine(Terminal terminal) {
    IFactory factory = new Parts(terminal);
    CommandLine root = new CommandLine(new Flyball(), factory);
    Map<String, CommandLine> commands =
        Stream.concat(
                FAMILIES.stream()
                    .flatMap(family -> CommandLine.getCommandMethods(family, null).stream()),
                Stream.of(new InitCommand(terminal)))
            .map(command -> new CommandLine(command, factory))
            .collect(
                Collectors.toMap(CommandLine::getCommandName, it -> it, (a, _) -> a, HashMap::new));
    commands.put(
        "completion", new CommandLine(new GenerateCompletion()).setCommandName("completion"));
    commands.put("help", new CommandLine(new HelpCommand()));
    Objects.requireNonNull(commands.get("dead-letters"))
        .addSubcommand(commands.get("requeue"))
        .addSubcommand(commands.get("redeliver"));
    Objects.requireNonNull(commands.get("notify")).addSubcommand(commands.get("test"));
    HelpPages.commands().forEach(name -> root.addSubcommand(name, commands.get(name)));
    HelpPages.applyTo(root);
    root.registerConverter(Duration.class, Options::span);
    root.getCommandSpec()
        .version(
            SetupCommands.versions().entrySet().stream()
                .map(each -> each.getKey() + " " + each.getValue())
                .toArray(String[]::new));
    var errors = new ErrorLines(terminal);
    root.setOut(new PrintWriter(terminal.out(), true, StandardCharsets.UTF_8));
    root.setErr(new PrintWriter(terminal.err(), true, StandardCharsets.UTF_8));
    root.setColorScheme(
        CommandLine.Help.defaultColorScheme(
            terminal.decorated() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF));
    root.setParameterExceptionHandler((e, given) -> errors.usage(e, given).code());
    root.setExecutionExceptionHandler((e, _, _) -> errors.failed(e).code());
    root.setExecutionStrategy(Flyball::run);
    return root;
  }

  private static int run(ParseResult parsed) {
    CommandLine root = parsed.commandSpec().commandLine();
    if (!parsed.hasSubcommand() && !parsed.isVersionHelpRequested()) {
      root.usage(root.getOut());
      return Exit.DONE.code();
    }
    int code = new RunLast().execute(parsed);
    Object result = parsed.asCommandLineList().getLast().getExecutionResult();
    return result instanceof Exit exit ? exit.code() : code;
  }

  /** Why nothing can run on this operating system, with the fix; empty if it can. */
  static Optional<String> unsupported(String osName) {
    return osName.toLowerCase(Locale.ROOT).startsWith("windows")
        ? Optional.of(
            "Windows is not supported: it cannot contain an agent's processes; use WSL 2, a Linux"
                + " container or a Linux machine")
        : Optional.empty();
  }

  /** Gives the terminal to the options and commands that have a constructor for it. */
  private record Parts(Terminal terminal) implements IFactory {
    @Override
    public <K> K create(Class<K> type) throws Exception {
      for (Constructor<?> each : type.getDeclaredConstructors()) {
        if (each.getParameterCount() == 1 && each.getParameterTypes()[0] == Terminal.class) {
          return type.cast(each.newInstance(terminal));
        }
      }
      return CommandLine.defaultFactory().create(type);
    }
  }

  /** Prints each error as one line that names the fix, and chooses the exit code. */
  record ErrorLines(Terminal terminal) {
    /** The command line cannot be parsed. */
    Exit usage(ParameterException e, String... given) {
      CommandSpec command = e.getCommandLine().getCommandSpec();
      // Of a parameter that is missing, too, an option that does not exist may be the cause.
      Stream<String> unknown =
          e instanceof UnmatchedArgumentException unmatched
              ? unmatched.getUnmatched().stream()
              : Stream.of(given)
                  .filter(_ -> e instanceof MissingParameterException)
                  .filter(it -> it.matches("--?[a-z].*"))
                  .filter(it -> !command.optionsMap().containsKey(it.replaceAll("=.*", "")));
      String line = unknown.findFirst().map(it -> unmatched(command, it)).orElse(oneLine(e));
      terminal.note(line + " (see ./" + command.qualifiedName() + " --help)");
      return Exit.USAGE;
    }

    /** A command or option that does not exist, with the nearest one that does. */
    static String unmatched(CommandSpec command, String name) {
      var known = new TreeSet<>(command.subcommands().keySet());
      known.addAll(command.optionsMap().keySet());
      String what =
          name.startsWith("-") ? "option" : known.contains("run") ? "command" : "argument";
      String scope =
          name.contains(":") ? name : (name.contains("/") ? "source:" : "tenant:") + name;
      boolean scoped = what.equals("argument") && known.contains("--scope");
      return "no such "
          + what
          + " '"
          + name
          + "'"
          + (scoped
              ? "; did you mean --scope " + scope + "?"
              : ConfigurationError.meant(name, known, ""));
    }

    /** The command has failed. */
    Exit failed(Exception e) {
      if (e instanceof ConfigurationError rejected) {
        rejected.lines().forEach(terminal::note);
        return Exit.USAGE;
      }
      if (!(e instanceof StartFailure)) {
        // For the log file; standard error gets the one line and no stack trace.
        LoggerFactory.getLogger(Flyball.class).warn("a command failed", e);
      }
      terminal.note(oneLine(e));
      return Exit.FAILED;
    }

    private static String oneLine(Exception e) {
      String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      return OneLine.of(message);
    }
  }

  /**
   * How help looks: commands in groups, with one sentence each, on one screen; and a command's own
   * options before those that many commands share. All texts and their order are in help.txt.
   */
  static final class HelpPages {
    /**
     * A command in the file.
     *
     * @param group the heading above it
     * @param example its name with arguments
     */
    private record Page(String group, String example) {}

    private static final Map<String, Page> PAGES = new LinkedHashMap<>();

    /** The texts of the file by the names by which picocli asks for them. */
    private static final Map<String, String> TEXTS = new LinkedHashMap<>();

    static {
      // Groups begin at the margin, commands at 2, their descriptions at 4, their options at 6.
      for (String group : BundledText.of(HelpPages.class, "help.txt").split("\n\n(?=\\S)")) {
        String[] entries = group.strip().split("\n {2}(?=\\S)");
        // What is below the heading itself is shared by commands.
        take("", entries[0]);
        for (String entry : List.of(entries).subList(1, entries.length)) {
          String name = entry.split("\\s", 2)[0];
          take("flyball." + name + ".", entry);
          // The commands of a command are on its page.
          if (!name.contains(".")) {
            PAGES.put(name, new Page(entries[0], entry.lines().findFirst().orElseThrow()));
          }
        }
      }
    }

    private HelpPages() {}

    private static void take(String prefix, String entry) {
      String[] parts = entry.split("\n {6}(?=\\S)");
      String[] about = parts[0].split("\n", 2);
      String[] paragraphs = about.length == 1 ? new String[0] : about[1].split("\n\n");
      for (int i = 0; i < paragraphs.length; i++) {
        TEXTS.put(prefix + "usage.description." + (2 * i), oneLine(paragraphs[i]));
        TEXTS.put(prefix + "usage.description." + (2 * i + 1), "");
      }
      TEXTS.remove(prefix + "usage.description." + (2 * paragraphs.length - 1));
      for (String part : List.of(parts).subList(1, parts.length)) {
        String[] option = part.split(": ", 2);
        TEXTS.put(prefix + option[0].replaceFirst("^--", ""), oneLine(option[1]));
        // So picocli calls a parameter, by how many of it there may be.
        TEXTS.put(prefix + option[0] + "[0]", oneLine(option[1]));
        TEXTS.put(prefix + option[0] + "[0..*]", oneLine(option[1]));
      }
    }

    private static String oneLine(String text) {
      return text.strip().replaceAll("\\s+", " ");
    }

    /** Every command's name. */
    static Stream<String> commands() {
      return PAGES.keySet().stream();
    }

    /** Every text of the file. */
    static Collection<String> texts() {
      return TEXTS.values();
    }

    /** Sets how the program and all its commands, which are added before, print their help. */
    static void applyTo(CommandLine root) {
      root.setResourceBundle(
          new ListResourceBundle() {
            @Override
            protected Object[][] getContents() {
              return TEXTS.entrySet().stream()
                  .map(each -> new Object[] {each.getKey(), each.getValue()})
                  .toArray(Object[][]::new);
            }
          });
      root.setUsageHelpLongOptionsMaxWidth(32);
      root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, _ -> "");
      root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, HelpPages::groups);
      root.getCommandSpec().usageMessage().footer("", "One command: ./flyball help COMMAND");
      PAGES.forEach((name, page) -> {
        CommandLine command = Objects.requireNonNull(root.getSubcommands().get(name), name);
        optionsApart(command);
        command.getCommandSpec().usageMessage().footer("", "Example: ./flyball " + page.example());
      });
    }

    private static String groups(Help help) {
      var groups = new LinkedHashMap<String, Map<String, String>>();
      PAGES.forEach((name, page) ->
          groups
              .computeIfAbsent(page.group(), _ -> new LinkedHashMap<>())
              .put(
                  String.format(Locale.ROOT, "%-13s", name),
                  gist(Objects.requireNonNull(help.subcommands().get(name)))));
      return groups.entrySet().stream()
          .map(group -> "\n" + group.getKey() + "\n" + help.createTextTable(group.getValue()))
          .collect(Collectors.joining());
    }

    /** The beginning of a command's description. */
    private static String gist(Help command) {
      UsageMessageSpec usage = command.commandSpec().usageMessage();
      String[] words = usage.header().length > 0 ? usage.header() : usage.description();
      return String.join(" ", words).split("[.:;](\\s|$)", 2)[0];
    }

    private static void optionsApart(CommandLine command) {
      command
          .getCommandSpec()
          .usageMessage()
          .abbreviateSynopsis(true)
          .commandListHeading("%nCommands:%n");
      command
          .getHelpSectionMap()
          .put(
              UsageMessageSpec.SECTION_KEY_OPTION_LIST,
              help ->
                  options(help, "Options", it -> !isShared(it))
                      + options(help, "Shared options", HelpPages::isShared));
      command.getSubcommands().values().forEach(HelpPages::optionsApart);
    }

    private static String options(Help help, String heading, Predicate<OptionSpec> which) {
      List<OptionSpec> chosen =
          help.commandSpec().options().stream()
              .filter(which.and(option -> !option.hidden()))
              .sorted((one, other) -> one.longestName().compareTo(other.longestName()))
              .toList();
      if (chosen.isEmpty()) {
        return "";
      }
      Help.Layout layout = help.createDefaultLayout();
      layout.addOptions(chosen, help.parameterLabelRenderer());
      return "\n" + heading + ":\n" + layout;
    }

    /** Whether it is an option of many commands, or the help that every command has. */
    private static boolean isShared(OptionSpec option) {
      Class<?> owner =
          option.userObject() instanceof Field field
              ? field.getDeclaringClass().getEnclosingClass()
              : null;
      return owner == Options.class || owner == CommandLine.class;
    }
  }
}
