package dev.flyball.program.cli;

import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * How help looks: commands in groups, with one sentence each, on one screen; and a command's own
 * options before those that many commands share.
 */
final class HelpPages {
  /** All commands of the program in the order of the help, each with an example. */
  private static final Map<String, Map<String, String>> GROUPS = new LinkedHashMap<>();

  static {
    group(
        "Start",
        "try",
        "run examples/work-items.jsonl --repo .",
        "up --set sessions.max-concurrent=2",
        "demo",
        "init",
        "doctor");
    group(
        "Look",
        "status",
        "open acme/web/42",
        "ps",
        "top",
        "items --state dead",
        "item acme/web/42",
        "why acme/web/42",
        "logs acme/web/42",
        "analysis acme/web/42",
        "polls acme/web",
        "dead-letters");
    group(
        "Act on an item",
        "cancel acme/web/42 --why 'wrong branch'",
        "retry acme/web/42",
        "skip acme/web/42 --why 'a person does it'",
        "forget acme/web/42");
    group(
        "Govern",
        "cap 4 --scope tenant:acme",
        "pause --for 30m --why maintenance",
        "resume",
        "budget --daily-usd 20",
        "poll acme/web");
    group("One role of the service", "producer --once --dry-run", "triage", "runner", "console");
    group(
        "Installation",
        "config",
        "topics",
        "notify test",
        "sweep",
        "completion",
        "version",
        "help items");
  }

  private HelpPages() {}

  private static void group(String name, String... examples) {
    var group = new LinkedHashMap<String, String>();
    for (String example : examples) {
      group.put(example.split(" ")[0], example);
    }
    GROUPS.put(name, group);
  }

  /** Every command's name. */
  static Stream<String> commands() {
    return GROUPS.values().stream().flatMap(group -> group.keySet().stream());
  }

  /** Sets how the program and all its commands, which are added before, print their help. */
  static void applyTo(CommandLine root) {
    root.setUsageHelpLongOptionsMaxWidth(32);
    root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, _ -> "");
    root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, HelpPages::groups);
    root.getCommandSpec().usageMessage().footer("", "One command: ./flyball help COMMAND");
    root.getSubcommands()
        .forEach((name, command) -> {
          optionsApart(command);
          GROUPS.values().stream()
              .filter(group -> group.containsKey(name))
              .forEach(group ->
                  command
                      .getCommandSpec()
                      .usageMessage()
                      .footer("", "Example: ./flyball " + group.get(name)));
        });
  }

  private static String groups(Help help) {
    var text = new StringBuilder();
    GROUPS.forEach((group, names) -> {
      var rows = new LinkedHashMap<String, String>();
      names
          .keySet()
          .forEach(name ->
              rows.put(
                  String.format(Locale.ROOT, "%-13s", name),
                  gist(Objects.requireNonNull(help.subcommands().get(name)))));
      text.append("\n" + group + ":\n").append(help.createTextTable(rows));
    });
    return text.toString();
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
