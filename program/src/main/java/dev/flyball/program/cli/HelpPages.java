package dev.flyball.program.cli;

import dev.flyball.contract.text.BundledText;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.ListResourceBundle;
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
 * options before those that many commands share. All texts and their order are in help.txt.
 */
final class HelpPages {
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
