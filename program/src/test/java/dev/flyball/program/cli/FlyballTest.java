package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.cli.CommandLineFixture.Answer;
import dev.flyball.program.roles.DataLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the program answers without a broker: usage, configuration, and refusals with one line and
 * the right code.
 */
final class FlyballTest {
  @TempDir Path folder;

  @Test
  void versionSaysWhichBuildThisIs() {
    assertThat(flyball("version").out())
        .contains("flyball 0.")
        .contains("java 25")
        .contains("kafka 4.");
    assertThat(flyball("version", "--json").out()).startsWith("{\"flyball\":\"").endsWith("}\n");
  }

  @Test
  void withoutACommandItShowsThemAll() {
    Answer help = flyball();

    assertThat(help.code()).isZero();
    assertThat(help.out()).isEqualTo(flyball("--help").out());
  }

  @Test
  void aMistypedCommandOrOptionIsOneLineWithWhatWasMeantAndExits2() {
    Answer command = flyball("rnu");
    assertThat(command.code()).isEqualTo(2);
    assertThat(command.err()).contains("'rnu'", "'run'", "./flyball --help").hasLineCount(1);

    Answer option = flyball("run", "x.jsonl", "--rpeo", ".");
    assertThat(option.code()).isEqualTo(2);
    assertThat(option.err())
        .contains("'--rpeo'", "'--repo'", "./flyball run --help")
        .hasLineCount(1);
  }

  @Test
  void aCommandOnAnItemIsRefusedBeforeAnythingIsSentIfItsWordsMakeNoSense() {
    assertThat(flyball("retry").code()).isEqualTo(2);
    for (String[] words :
        new String[][] {
          {"retry", "Acme/items/1"},
          {"skip", "acme/items"},
          {"forget", "acme/items/1", "--wait", "soon"},
          {"cancel", "acme/items/1", "--why", "x".repeat(501)},
        }) {
      Answer answer = flyball(words);
      assertThat(answer.code()).as(answer.err()).isEqualTo(2);
      assertThat(answer.err()).hasLineCount(1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "budget --daily-usd abc|--daily-usd: 'abc'",
        "items --limit 1k|--limit: '1k'",
        "cap 3x|cap: '3x'",
        "cap 99999999999|cap: '99999999999'",
        "cap 99999|cap: '99999'",
        "cap -1|cap: '-1'",
      })
  void whatIsNoNumberOrNoneThatCanBeIsRefusedInPlainWords(String line, String said) {
    Answer answer = flyball(line.split(" "));

    assertThat(answer.code()).isEqualTo(2);
    assertThat(answer.err()).startsWith("flyball: " + said).hasLineCount(1);
  }

  @Test
  void anUnknownCommandIsRefusedAlsoBesideHelp() {
    for (String more : new String[] {"--help", "-h", "--version", "x"}) {
      Answer answer = flyball("swep", more);

      assertThat(answer.code()).as(more).isEqualTo(2);
      assertThat(answer.out()).isEmpty();
      assertThat(answer.err())
          .isEqualTo(
              "flyball: no such command 'swep'; did you mean 'sweep'? (see ./flyball --help)\n");
    }
  }

  @Test
  void configPrintsEachValueWithItsSource() throws IOException {
    Path file = Files.writeString(folder.resolve("f.yaml"), "cap: 5\n");

    Answer answer =
        flyball(
            Map.of("FLYBALL_SESSIONS_SLOTS", "2"),
            "config",
            "--config",
            file.toString(),
            "--set",
            "log.level=warn");

    assertThat(answer.out().lines())
        .contains(
            "key\tvalue\tsource",
            "cap\t5\t" + file + ":1",
            "sessions.slots\t2\tFLYBALL_SESSIONS_SLOTS",
            "log.level\twarn\t--set",
            "ledger.lease\t45s\tdefault");
  }

  @Test
  void aWrongConfigurationIsOneLineForEachMistakeAndExits2() throws IOException {
    Path file = Files.writeString(folder.resolve("f.yaml"), "capp: 5\nledger: {lease: 12s}\n");

    Answer answer = flyball("config", "--config", file.toString());

    assertThat(answer.code()).isEqualTo(2);
    assertThat(answer.err()).contains(file + ":1: ", "'capp'", "'cap'").hasLineCount(1);
  }

  @Test
  void runRefusesWhatItCannotReadBeforeAnythingStarts() throws IOException {
    Path items = Files.writeString(folder.resolve("items.jsonl"), "");

    assertThat(flyball("run")).satisfies(it -> assertThat(it.code()).isEqualTo(2));
    assertThat(flyball("run", folder.resolve("none.jsonl").toString()))
        .satisfies(it -> assertThat(it.code()).isEqualTo(2))
        .satisfies(it -> assertThat(it.err()).contains("none.jsonl: ").hasLineCount(1));
    assertThat(flyball("run", folder.toString()))
        .satisfies(it -> assertThat(it.code()).isEqualTo(2))
        .satisfies(it -> assertThat(it.err()).contains(folder + ": ").hasLineCount(1));
    assertThat(flyball("run", items.toString(), "--repo", folder.resolve("no").toString()))
        .satisfies(it -> assertThat(it.code()).isEqualTo(2))
        .satisfies(it -> assertThat(it.err()).contains("--repo").hasLineCount(1));
    assertThat(flyball("run", items.toString(), "--agent", "clade").err())
        .contains(
            "--agent: 'clade' is not scout, claude, codex, gemini, qwen or"
                + " command:/path/to/program");
    assertThat(flyball("run", items.toString(), "--cap", "-1").code()).isEqualTo(2);
  }

  @Test
  void anAgentThatIsNotThereIsRefusedBeforeItCostsAnyItemItsAttempts() throws IOException {
    Path items = Files.writeString(folder.resolve("items.jsonl"), "");
    Path data = folder.resolve("data");
    String agent = "command:" + folder.resolve("nope");

    Answer run = flyball("run", items.toString(), "--agent", agent, "--data", data.toString());

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err())
        .startsWith("flyball: --agent: agent ")
        .contains("nope", "sessions.agent")
        .hasLineCount(1);
    assertThat(flyball("up", "--agent", agent, "--data", data.toString()).code()).isEqualTo(2);
    Answer runner =
        flyball(
            "runner",
            "--agent",
            agent,
            "--data",
            data.toString(),
            "--bootstrap-servers",
            "127.0.0.1:1");
    assertThat(runner.code()).isEqualTo(2);
    assertThat(runner.err()).contains("nope", "sessions.agent").hasLineCount(1);
    assertThat(data).doesNotExist();
  }

  @Test
  void aRunThatNoSessionCouldStartInIsRefused() throws IOException {
    Path items = Files.writeString(folder.resolve("items.jsonl"), "");
    Path data = folder.resolve("data");

    Answer option = flyball("run", items.toString(), "--cap", "0", "--data", data.toString());
    assertThat(option.code()).isEqualTo(2);
    assertThat(option.err()).startsWith("flyball: --cap: ").endsWith("--cap 3\n").hasLineCount(1);
    Answer variable = flyball(Map.of("FLYBALL_CAP", "0"), "run", items.toString());
    assertThat(variable.code()).isEqualTo(2);
    assertThat(variable.err()).startsWith("flyball: FLYBALL_CAP: ");
    assertThat(data).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"claude", "codex", "gemini", "qwen"})
  void anAgentThatCostsMoneyNeedsAYesAndWithoutATerminalItIsAUsageError(String agent)
      throws IOException {
    // Two items of three lines, and one that is none.
    Path items =
        Files.writeString(
            folder.resolve("items.jsonl"),
            """
            {"id":"1","title":"a"}

            {"id":"1","title":"b"}
            {"id":"2","title":"c"}
            {}
            """);

    Answer answer =
        flyball(
            "run",
            items.toString(),
            "--agent",
            agent,
            "--repo",
            folder.toString(),
            "--data",
            folder.resolve("data").toString());

    assertThat(answer.code()).isEqualTo(2);
    assertThat(answer.err())
        .contains("2 items, " + agent + ": at most $3.40 with $0.50 a session")
        .contains("flyball: --agent " + agent + " costs money", "add --yes");
    assertThat(folder.resolve("data")).doesNotExist();
  }

  @Test
  void theAnswerNoStartsNothing() throws IOException {
    Path items =
        Files.writeString(folder.resolve("items.jsonl"), "{\"id\":\"1\",\"title\":\"a\"}\n");

    for (String no : new String[] {"", "\n", "n\n", "what?\n"}) {
      Answer answer =
          CommandLineFixture.asked(
              no,
              "run",
              items.toString(),
              "--set",
              "sessions.agent=claude",
              "--set",
              "budget.daily.usd=0.20",
              "--repo",
              folder.toString(),
              "--data",
              folder.resolve("data").toString());

      assertThat(answer.code()).as(no).isEqualTo(1);
      assertThat(answer.err()).contains("$0.20", "budget.daily.usd", "[y/N]");
      assertThat(folder.resolve("data")).doesNotExist();
    }
  }

  @Test
  void aPaidAgentWithoutADailyBudgetGetsTwentyDollarsAndTheStartSaysSo() throws IOException {
    Path items =
        Files.writeString(folder.resolve("items.jsonl"), "{\"id\":\"1\",\"title\":\"a\"}\n");

    Answer answer =
        CommandLineFixture.asked(
            "n\n",
            "run",
            items.toString(),
            "--set",
            "sessions.agent=claude",
            "--repo",
            folder.toString(),
            "--data",
            folder.resolve("data").toString());

    assertThat(answer.err()).contains("budget.daily.usd", "20 USD", "claude", "$20.00");
  }

  @ParameterizedTest
  @ValueSource(strings = {"producer", "triage", "runner"})
  void aRoleWithoutAKafkaNamesTheOptionAndExits2(String role) {
    Answer answer = flyball(role, "--data", folder.toString());

    assertThat(answer.code()).isEqualTo(2);
    assertThat(answer.err()).contains("--bootstrap-servers").hasLineCount(1);
  }

  // S4-23
  @Test
  void aSecondStartOnOneDataFolderExits1WithOneLine() throws IOException {
    Path items = Files.writeString(folder.resolve("items.jsonl"), "");
    try (DataLock held = DataLock.take(folder.resolve("data"))) {
      String data = folder.resolve("data").toString();
      Answer answer = flyball("run", items.toString(), "--data", data);

      assertThat(held).isNotNull();
      assertThat(answer.code()).isEqualTo(1);
      assertThat(answer.err()).contains(data, "--data").hasLineCount(1);
      assertThat(folder.resolve("data/kafka")).doesNotExist();
    }
  }

  @Test
  void aDataFolderThatCannotBeMadeExits1WithOneLine() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    Path items = Files.writeString(folder.resolve("items.jsonl"), "");

    Answer answer = flyball("run", items.toString(), "--data", file.resolve("below").toString());

    assertThat(answer.code()).isEqualTo(1);
    assertThat(answer.err()).contains("--data").hasLineCount(1);
  }

  @Test
  void topicsAreListedWithoutAKafka() {
    Answer answer = flyball("topics");

    assertThat(answer.code()).isZero();
    assertThat(answer.out()).contains("flyball.session-ledger\t1\tdelete\tledger-entry/1");
    assertThat(answer.err()).contains("`offsets`", "--bootstrap-servers");
  }

  @Test
  void aTableIsPrintedWithoutItsHeaderOnRequest() {
    String all = flyball("topics").out();
    String rows = flyball("topics", "--no-headers").out();

    assertThat(all).startsWith("topic\tpartitions\t");
    assertThat(rows).isEqualTo(all.substring(all.indexOf('\n') + 1));
  }

  @Test
  void theCompletionScriptKnowsEveryCommandAndItsOptions() {
    Answer script = flyball("completion");

    assertThat(script.code()).isZero();
    assertThat(script.out())
        .contains("complete -F", "-o default flyball")
        .contains("--no-headers", "dead-letters", "requeue", "init", "completion");
  }

  // S4-22
  @Test
  void everyCommandThatTheHelpNamesExplainsItselfInAscii() {
    String help = flyball("--help").out();
    List<String> commands =
        Pattern.compile("(?m)^  ([a-z][a-z-]+) ")
            .matcher(help)
            .results()
            .map(command -> command.group(1))
            .filter(command -> !command.equals("help"))
            .toList();

    assertThat(commands)
        .contains("run", "up", "producer", "runner", "ps", "why", "cap", "doctor", "config", "init")
        .hasSizeGreaterThan(30);
    for (String command : commands) {
      Answer answer = flyball(command, "--help");
      assertThat(answer.code()).isZero();
      assertThat(answer.out())
          .as(command)
          .startsWith("Usage: flyball " + command)
          .contains("help")
          .isASCII();
    }
  }

  @Test
  void windowsIsRejectedWithOneLineAndTheFix() {
    assertThat(Flyball.unsupported("Windows 11"))
        .hasValueSatisfying(line -> assertThat(line).contains("Windows", "WSL 2").isASCII());
    assertThat(Flyball.unsupported("Linux")).isEmpty();
    assertThat(Flyball.unsupported("Mac OS X")).isEmpty();
    assertThat(Flyball.unsupported("Darwin")).isEmpty();
  }
}
