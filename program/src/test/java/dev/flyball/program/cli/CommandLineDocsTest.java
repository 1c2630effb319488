package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Holds every help text in one page, where a change of wording shows as a change of that page.
 * Rewrites it with {@code -Ddocs=write}.
 */
final class CommandLineDocsTest {
  private static final Path PAGE = Path.of("../docs/command-line.md");

  private static final String TOP =
      """
      # Command line
      <!-- Generated: ./mvnw -pl program -am test -Dtest=CommandLineDocsTest -Ddocs=write -Dsurefire.failIfNoSpecifiedTests=false -->

      One program, `./flyball`, runs every role and answers every question about them. Tables are aligned on a terminal and
      TSV when piped; `--json` prints JSON. Answers go to standard output, errors and notes to standard error.

      | exit code | means |
      |---|---|
      | 0 | done; after a drain too |
      | 1 | failed, or no such item, session or source |
      | 2 | wrong usage or configuration |
      | 3 | done, but something is dead, invalid or degraded |
      | 4 | unhealthy: `doctor` found what does not work, or a service halted |
      | 130 | interrupted |
      | 137 | the JVM ran out of memory, or was killed |
      """;

  @Test
  void everyHelpTextIsOnThePage() throws IOException {
    String page = page();
    if ("write".equals(System.getProperty("docs"))) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(page);
  }

  private static String page() {
    var page = new StringBuilder(TOP);
    String all = help("--help");
    page.append("\n## flyball\n```\n").append(all).append("```\n");
    for (String command : commands(all)) {
      String text = help(command, "--help");
      page.append("\n## flyball ").append(command).append("\n```\n").append(text).append("```\n");
      for (String inner : commands(text)) {
        page.append("\n### flyball ").append(command).append(' ').append(inner).append("\n```\n");
        page.append(help(command, inner, "--help")).append("```\n");
      }
    }
    return page.toString();
  }

  /** The commands that a help text lists; not {@code help}, which has nothing of its own to say. */
  private static List<String> commands(String help) {
    int list = help.indexOf("Commands:\n");
    return list < 0
        ? List.of()
        : Pattern.compile("(?m)^  (\\S+)  ")
            .matcher(help.substring(list))
            .results()
            .map(found -> found.group(1))
            .filter(name -> !name.equals("help"))
            .toList();
  }

  private static String help(String... arguments) {
    CommandLineFixture.Answer answer = flyball(arguments);
    assertThat(answer.code()).as(String.join(" ", arguments)).isZero();
    assertThat(answer.out()).isNotBlank();
    return answer.out().replaceAll("(?m) +$", "");
  }
}
