package dev.flyball.program.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * How help looks: commands in groups, with one sentence each, on one screen; and a command's own
 * options before those that many commands share. The texts and their order are in help.txt.
 */
final class HelpPages {
  /**
   * A command in help.txt.
   *
   * @param group the heading above it
   * @param example its name with arguments
   * @param paragraphs of its description; none if picocli has one
   */
  private record Page(String group, String example, List<String> paragraphs) {}

  private static final Map<String, Page> PAGES = pages();

  private HelpPages() {}

  /** In the file, groups begin at the margin, commands with an example at 2, texts at 4. */
  private static Map<String, Page> pages() {
    var pages = new LinkedHashMap<String, Page>();
    for (String group : text().split("\n\n(?=\\S)")) {
      String[] commands = group.strip().split("\n  (?=\\S)");
      for (String command : List.of(commands).subList(1, commands.length)) {
        String[] parts = command.split("\n", 2);
        List<String> paragraphs =
            parts.length == 1
                ? List.of()
                : Stream.of(parts[1].split("\n\n"))
                    .map(each -> each.strip().replaceAll("\\s+", " "))
                    .toList();
        pages.put(parts[0].split(" ")[0], new Page(commands[0], parts[0], paragraphs));
      }
    }
    return pages;
  }

  private static String text() {
    try (InputStream file = HelpPages.class.getResourceAsStream("help.txt")) {
      return new String(
          Objects.requireNonNull(file, "help.txt").readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Every command's name. */
  static Stream<String> commands() {
    return PAGES.keySet().stream();
  }

  /** Sets how the program and all its commands, which are added before, print their help. */
  static void applyTo(CommandLine root) {
    root.setUsageHelpLongOptionsMaxWidth(32);
    root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, _ -> "");
    root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, HelpPages::groups);
    root.getCommandSpec().usageMessage().footer("", "One command: ./flyball help COMMAND");
    PAGES.forEach((name, page) -> {
      CommandLine command = Objects.requireNonNull(root.getSubcommands().get(name), name);
      optionsApart(command);
      UsageMessageSpec usage = command.getCommandSpec().usageMessage();
      usage.footer("", "Example: ./flyball " + page.example());
      if (!page.paragraphs().isEmpty()) {
        usage.description(String.join("\n\n", page.paragraphs()).split("\n"));
      }
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
