package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.cli.CommandLineFixture.Answer;
import dev.flyball.program.cli.Flyball.HelpPages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;

/** Whoever follows the README, the runbook or the help at night finds what they show. */
final class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..");

  /** A command in text, up to where a shell would end it. */
  private static final Pattern COMMAND =
      Pattern.compile("(?m)(?:\\./|^|console |/work )flyball ((?:\"[^\"\n]*\"|[^`|\n;#>&()])*)");

  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(?:sh)?\n(.*?)^```$");
  private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|'[^']*'|\\S+");
  private static final Pattern FILE =
      Pattern.compile(
          "(?<![\\w/.:-]|flyball-)(?:/opt/flyball/)?((?:examples|ops|docs)/[\\w./@-]*\\w)");

  /** Which a release has, and a clone has not. */
  private static final String OF_A_RELEASE = "docs/flyball.schema.json";

  private static final Map<String, Answer> HELP = new TreeMap<>();
  private static final CommandLine LINE = Flyball.commandLine(CommandLineFixture.terminal());

  @Test
  void everyCommandOfTheDocsAndTheHelpCanBeGiven() throws IOException {
    var all = new SoftAssertions();
    var shown = new TreeSet<String>();
    for (String page : pages().values()) {
      commands(page).forEach(command -> shown.add(given(all, command, false)));
      BLOCK
          .matcher(page)
          .results()
          .flatMap(block -> commands(block.group(1)))
          .forEach(command -> given(all, command, true));
    }
    HelpPages.commands()
        .flatMap(each -> commands(help(each).out()))
        .forEach(command -> given(all, command, true));

    all.assertAll();
    assertThat(shown).contains("run", "try", "up", "ps", "why", "logs", "cancel", "cap", "budget");
  }

  @Test
  void everyFileOfTheRepositoryThatTheDocsNameExists() throws IOException {
    pages()
        .forEach((page, text) ->
            assertThat(FILE.matcher(text).results().map(it -> it.group(1)))
                .as(page)
                .allMatch(file -> file.equals(OF_A_RELEASE) || Files.exists(ROOT.resolve(file))));
  }

  /**
   * Has the command line parsed, not run; returns the command's name.
   *
   * @param whole whether it can be run as it is: in text a command may stand for itself
   */
  private static String given(SoftAssertions all, String command, boolean whole) {
    // A capital word stands for what a reader fills in: a number fits everywhere.
    String[] words =
        WORD.matcher(command)
            .results()
            .map(it -> it.group().replaceAll("^[A-Z]+(\\.\\.\\.)?$", "1"))
            .toArray(String[]::new);
    all.assertThatCode(
            () -> {
              try {
                LINE.parseArgs(words);
              } catch (MissingParameterException e) {
                if (whole) {
                  throw e;
                }
              }
            })
        .as("flyball " + command)
        .doesNotThrowAnyException();
    return words[0];
  }

  private static Stream<String> commands(String text) {
    return COMMAND
        .matcher(text)
        .results()
        .map(it -> it.group(1).strip().replaceFirst("(?<=\\w)[,.:]+$", ""))
        .filter(command -> command.matches("[a-z-]+( .*)?"));
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

  private static Map<String, String> pages() throws IOException {
    var pages = new TreeMap<String, String>();
    try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      for (Path file : Stream.concat(Stream.of(ROOT.resolve("README.md")), docs).toList()) {
        if (file.toString().endsWith(".md")) {
          pages.put(file.toString(), Files.readString(file));
        }
      }
    }
    return pages;
  }
}
