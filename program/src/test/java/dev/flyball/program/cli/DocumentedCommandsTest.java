package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.cli.CommandLineFixture.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whoever follows the README, the runbook or the help at night finds what they show. */
final class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern COMMAND = Pattern.compile("\\./flyball ([a-z][a-z-]*)([^`|\n;#]*)");
  private static final Pattern OPTION = Pattern.compile("(?<=\\s)--[a-z][a-z-]*");
  private static final Map<String, Answer> HELP = new TreeMap<>();

  @Test
  void everyCommandThatTheDocsOrTheHelpShowExistsWithItsOptions() throws IOException {
    Map<String, Set<String>> shown = shown();

    assertThat(shown).containsKeys("run", "up", "ps", "why", "logs", "cancel", "sweep", "budget");
    shown.forEach((command, options) -> {
      Answer help = help(command);
      assertThat(help.code()).as("./flyball " + command).isZero();
      String known = help.out().replaceAll("(?m)^Example: .*", "");
      options.forEach(option -> assertThat(known).as("./flyball " + command).contains(option));
    });
  }

  // S4-22
  @Test
  void everyCommandThatTheHelpNamesExplainsItselfInAscii() {
    String all = flyball("--help").out();
    assertThat(HelpPages.commands())
        .contains("run", "up", "producer", "runner", "ps", "why", "cap", "doctor", "config", "init")
        .hasSizeGreaterThan(30)
        .allSatisfy(command -> {
          assertThat(all).contains("\n  " + command + " ");
          assertThat(help(command).code()).isZero();
          assertThat(help(command).out()).contains("Usage: flyball " + command).isASCII();
        });
  }

  @Test
  void everyTextIsUsedAndEveryOptionHasOne() {
    String all =
        Stream.concat(
                HelpPages.commands(),
                Stream.of("dead-letters requeue", "dead-letters redeliver", "notify test"))
            .map(each -> help(each).out())
            .collect(Collectors.joining());

    assertThat(all).doesNotContainPattern("(?m)^ +(-[a-z], +)?(--[a-z-]+(=[A-Z:]+)?|[A-Z|]+)$");
    assertThat(Pattern.compile("--set ([a-z.-]+)=").matcher(all).results().map(it -> it.group(1)))
        .isNotEmpty()
        .allMatch(key -> flyball("config").out().contains("\n" + key + "\t"));
    String unbroken = all.replaceAll("\\s+", "");
    assertThat(HelpPages.texts()).allMatch(text -> unbroken.contains(text.replaceAll("\\s+", "")));
  }

  private static Answer help(String command) {
    return HELP.computeIfAbsent(command, each -> flyball((each + " --help").split(" ")));
  }

  private static Map<String, Set<String>> shown() throws IOException {
    var shown = new TreeMap<String, Set<String>>();
    try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      for (Path file : Stream.concat(Stream.of(ROOT.resolve("README.md")), docs).toList()) {
        if (file.toString().endsWith(".md")) {
          addTo(shown, Files.readString(file));
        }
      }
    }
    HelpPages.commands().forEach(command -> addTo(shown, help(command).out()));
    return shown;
  }

  private static void addTo(Map<String, Set<String>> shown, String text) {
    Matcher found = COMMAND.matcher(text);
    while (found.find()) {
      var options = shown.computeIfAbsent(found.group(1), _ -> new TreeSet<>());
      OPTION.matcher(found.group(2)).results().forEach(it -> options.add(it.group()));
    }
  }
}
