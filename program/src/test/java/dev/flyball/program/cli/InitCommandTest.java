package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.asked;
import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.cli.CommandLineFixture.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.lib.StoredConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class InitCommandTest {
  @TempDir Path folder;

  @Test
  void withoutATerminalAFileWithItemsFromAFileAndScoutIsWritten() throws IOException {
    Answer answer = flyball("init", "--config", file().toString());

    assertThat(answer.code()).as(answer.err()).isZero();
    assertThat(Files.readString(file()))
        .contains("type: jsonl", "path: items.jsonl", "agent: scout", "cap: 3")
        .as("a file has no comments")
        .doesNotContain("write-back");
    assertThat(answer.out())
        .isEqualTo(
            "./flyball doctor --config " + file() + "\n./flyball up --config " + file() + "\n");
    assertThat(flyball("config", "--config", file().toString()).code()).isZero();
  }

  @Test
  void whatAPersonAnswersStandsInTheFileAndTheTokenDoesNot() throws IOException {
    Answer answer =
        answered(
            """
            redmine
            shop
            https://redmine.example/

            MY_KEY
            -
            2
            COMMENT
            .

            5
            """);

    assertThat(answer.err())
        .contains("  5 redmine: ", "First put the token into the variable MY_KEY");
    assertThat(answer.out()).startsWith("./flyball producer --once --dry-run --config ");
    assertThat(flyball("config", "--config", file().toString()).out())
        .contains("tenant\tdefault\t", "cap\t5\t", "sessions.repo\t.\t")
        .contains("sources[0].url\thttps://redmine.example/\t", "sources[0].token-env\tMY_KEY\t")
        .contains("sources[0].when.labels\t\t", "sources[0].start\tall\t")
        .contains("sources[0].write-back\tcomment\t");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "azure-devops, 'https://dev.azure.com/org/shop\n\n\n'",
    "GitHub, 'https://github.com/org/repo.git\nhttps://git.example/api/v3\n\n'",
    "gitlab, 'group/project\n\n\n'",
    "jira, 'https://shop.atlassian.net\nproject = SHOP\nme@shop.example\n\n'",
    "linear, 'ENG\n\n'",
    "redmine, 'https://redmine.example\nweb-shop\n\n'",
    "jsonl, '\n'",
  })
  void everyTypeCanBeAskedFor(String type, String answers) throws IOException {
    var _ = answered(type + "\n\n" + answers + "\n\n\n\n\n\n");

    assertThat(Files.readString(file())).contains("type: " + type.toLowerCase(Locale.ROOT));
    assertThat(flyball("config", "--config", file().toString()).code()).isZero();
  }

  @Test
  void theRepositoryOfTheCloneIsOfferedAndNothingOfStrangersIsTaken() throws Exception {
    try (Git clone = Git.init().setDirectory(folder.toFile()).call()) {
      StoredConfig settings = clone.getRepository().getConfig();
      settings.setString("remote", "origin", "url", "git@github.com:acme/web.git");
      settings.save();
    }
    Files.writeString(
        folder.resolve(".git/config"),
        "[user]\n\tname = J\u00f6rg\n",
        StandardCharsets.ISO_8859_1,
        StandardOpenOption.APPEND);

    String said = answered("\n\n\n\nagent, good first issue" + "\n".repeat(7)).err();

    assertThat(said).contains("[github]: ", "owner/name [acme/web]: ");
    assertThat(Files.readString(file()))
        .contains(
            "repository: \"acme/web\"",
            "when: {labels: [agent, \"good first issue\"]}",
            "write-back: \"off\"");
  }

  @Test
  void anAgentOnThePathIsOfferedWithABudgetOfTheDay() throws IOException {
    Path claude = Files.writeString(folder.resolve("claude"), "#!/bin/sh\n");
    assertThat(claude.toFile().setExecutable(true)).isTrue();
    Files.writeString(folder.resolve("items.jsonl"), "{\"id\":\"1\",\"title\":\"A fault\"}\n");

    String said = answered("jsonl\n\n\n\nClaude\n5\n\n").err();

    assertThat(said)
        .contains("  2 claude: ", "not on PATH: codex, ", "Most dollars of a day [2]: ")
        .contains("default/main would start 1 of 1 item, ", "claude: at most $");
    assertThat(Files.readString(file())).contains("budget: {daily: {usd: 5}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ghp_0123456789abcdefghijklmnopqrstuvwxyz", "0123456789abcdef0123456789abcdef01"})
  void aTokenInTheWrongPlaceIsRefused(String token) throws IOException {
    String said = answered("jsonl\n\n\n" + token + "\n.\n\n\n").err();

    assertThat(said).contains("looks like a token").doesNotContain(token);
    assertThat(Files.readString(file())).doesNotContain(token);
  }

  @Test
  void anAnswerThatCannotBeIsAskedForAgainWithWhatIsAllowed() throws IOException {
    String said = answered("mail\njsonl\n\n\n\n\nmany\n4\n").err();

    assertThat(said)
        .contains("write the number or the name of one of these")
        .contains("from 0 to 10000");
    assertThat(Files.readString(file())).contains("cap: 4");
  }

  @Test
  void whatWasRightNeedNotBeSaidAgain() throws IOException {
    String said =
        answered(
                "jira\n"
                    + "shop\n"
                    + "https://shop.atlassian.net\n"
                    + "ORDER BY key\n"
                    + "me@shop.example\n\n\n\n\n\n\n"
                    + "7\n"
                    + "\n\n\n"
                    + "project = SHOP\n\n\n\n\n\n\n\n\n")
            .err();

    assertThat(said)
        .contains("Answer again:", "  " + file() + ":", "Name of this source [shop]: ")
        .doesNotContain("[ORDER BY key]");
    assertThat(flyball("config", "--config", file().toString()).out())
        .contains("cap\t7\t", "sources[0].user\tme@shop.example\t")
        .contains("sources[0].query\tproject = SHOP\t");
  }

  @Test
  void aRepositoryThatIsNotThereIsAskedForAgain() {
    String said = answered("\n\n\nno/such\n.\n\n\n").err();

    assertThat(said)
        .contains("  " + folder.resolve("no/such") + " does not exist", file() + " is written");
  }

  @Test
  void anUnwritablePlaceIsOneLineWithTheFix() throws IOException {
    Path dangling = Files.createSymbolicLink(folder.resolve("a link"), folder.resolve("nowhere"));
    Answer link = flyball("init", "--config", dangling.toString());
    assertThat(link.code()).isEqualTo(1);
    assertThat(link.err())
        .startsWith("flyball: " + dangling + " cannot be written (")
        .contains("--config")
        .hasLineCount(1);

    Answer aFolder = flyball("init", "--force", "--config", folder.toString());
    assertThat(aFolder.code()).isEqualTo(2);
    assertThat(aFolder.err()).contains(folder.toString()).hasLineCount(1);
  }

  @Test
  void theCommandsThatItNamesCanBePastedWhateverTheFileIsCalled() {
    Path file = folder.resolve("it's mine.yaml");

    Answer answer = flyball("init", "--config", file.toString());

    assertThat(answer.out())
        .startsWith("./flyball doctor --config '" + folder + "/it'\\''s mine.yaml'\n");
    assertThat(answer.err())
        .contains("it's mine.yaml", folder.resolve("items.jsonl") + " does not exist")
        .hasLineCount(2);
  }

  @Test
  void leavingInTheMiddleWritesNothing() throws IOException {
    Answer answer = asked("github\n", "init", "--config", file().toString());

    assertThat(answer.code()).isEqualTo(1);
    assertThat(answer.err()).contains("flyball: ");
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aFileThatIsThereIsReplacedOnlyByForce() throws IOException {
    Files.writeString(file(), "cap: 7\n");

    Answer refused = flyball("init", "--config", file().toString());
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains(file().toString(), "--force").hasLineCount(1);
    assertThat(file()).hasContent("cap: 7\n");

    assertThat(flyball("init", "--force", "--yes", "--config", file().toString()).code()).isZero();
    assertThat(Files.readString(file())).contains("cap: 3");
  }

  /** A person answers so, and the file is written. */
  private Answer answered(String says) {
    Answer answer =
        asked(
            Map.of("PATH", folder.toString()),
            says,
            "init",
            "--force",
            "--config",
            file().toString());
    assertThat(answer.code()).as(answer.err()).isZero();
    return answer;
  }

  private Path file() {
    return folder.resolve("flyball.yaml");
  }
}
