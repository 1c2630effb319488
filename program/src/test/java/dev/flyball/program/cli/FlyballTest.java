package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.cli.CommandLineFixture.Answer;
import dev.flyball.program.roles.DataLock;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the program answers without a broker: usage, configuration, and refusals with one line and
 * the right code.
 */
final class FlyballTest {
  /** Stands for the folder in a command line. */
  private static final String HERE = "{here}";

  @TempDir static Path folder;

  @BeforeAll
  static void files() throws IOException {
    Map<String, String> files =
        Map.of(
            "empty.jsonl",
            "",
            // Two items of three lines, and one that is none.
            "items.jsonl",
            """
            {"id":"1","title":"a"}

            {"id":"1","title":"b"}
            {"id":"2","title":"c"}
            {}
            """,
            "wrong.yaml",
            "capp: 5\nledger: {lease: 12s}\n",
            "rules.yaml",
            "triage: {classifier: rules}\n",
            "misspelt.yaml",
            "triage: {clasifier: rules}\n",
            "agent.yaml",
            "triage: {classifier: agent, agent: \"command:/no/such/program\"}\n",
            "sources.yaml",
            """
            sources:
              - {name: a, type: jsonl, path: a.jsonl, repo: .}
              - {name: b, type: jsonl, path: b.jsonl, repo: gone}
            """);
    for (Map.Entry<String, String> each : files.entrySet()) {
      Files.writeString(folder.resolve(each.getKey()), each.getValue());
    }
    for (String agent : AgentProgram.ofModels()) {
      assertThat(Files.createFile(folder.resolve(agent)).toFile().setExecutable(true)).isTrue();
    }
  }

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

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          # mistyped: what was meant
          rnu                                  | 2 | no such command 'rnu'; did you mean 'run'? (see ./flyball --help)
          swep --help                          | 2 | no such command 'swep'; did you mean 'sweep'? (see ./flyball --help)
          swep x                               | 2 | no such command 'swep'; did you mean 'sweep'? (see ./flyball --help)
          run x.jsonl --rpeo .                 | 2 | '--rpeo' ~ '--repo' ~ ./flyball run --help
          run --foo                            | 2 | no such option '--foo'
          analyze                              | 2 | did you mean 'analysis'?
          pause acme                           | 2 | no such argument 'acme'; did you mean --scope tenant:acme?
          resume acme/web                      | 2 | --scope source:acme/web
          items --state runing                 | 2 | --state: no state 'runing'
          config --config {here}/wrong.yaml    | 2 | {here}/wrong.yaml:1: ~ 'capp' ~ 'cap'
          triage --shadow {here}/misspelt.yaml | 2 | misspelt.yaml ~ triage.clasifier
          run {here}/empty.jsonl --set foo.bar=1 | 2 | 'foo.bar'
          # no number, or none that can be
          budget --daily-usd abc               | 2 | --daily-usd: 'abc'
          items --limit 1k                     | 2 | '--limit': '1k'
          items --limit 0                      | 2 | --limit 0
          items --limit -1                     | 2 | --limit -1
          cap 3x                               | 2 | cap: '3x'
          cap 99999999999                      | 2 | cap: '99999999999'
          cap 99999                            | 2 | cap: '99999'
          cap -1                               | 2 | cap: '-1'
          run {here}/empty.jsonl --cap -1      | 2 | --cap
          run {here}/empty.jsonl --cap 0       | 2 | --cap: ~ --cap 3
          forget acme/items/1 --wait soon      | 2 | '--wait': 'soon' is not a duration
          triage --shadow {here}/rules.yaml --since 7 | 2 | '--since': '7' is not a duration
          # no item, file, folder or source
          retry                                | 2 | KEY
          retry Acme/items/1                   | 2 | Acme/items/1
          skip acme/items                      | 2 | acme/items
          run                                  | 2 | ITEMS
          run {here}/none.jsonl                | 2 | {here}/none.jsonl:
          run {here}                           | 2 | {here}:
          run {here}/empty.jsonl --repo {here}/no | 2 | {here}/no is not a directory; name one with --repo DIR
          up --config {here}/sources.yaml --bootstrap-servers 127.0.0.1:1     | 2 | source default/b: repo {here}/gone is not a directory; correct it, or remove it to use sessions.repo
          runner --config {here}/sources.yaml --bootstrap-servers 127.0.0.1:1 | 2 | source default/b: repo {here}/gone is not a directory; correct it, or remove it to use sessions.repo
          poll c --config {here}/sources.yaml  | 2 | 'c' ~ default/a, default/b
          poll --config {here}/sources.yaml    | 2 | name a SOURCE; configured are default/a, default/b
          producer --once --dry-run            | 2 | ./flyball init ~ --config
          notify test                          | 2 | no targets are configured
          triage --shadow {here}/none.yaml     | 2 | {here}/none.yaml
          triage --since 7d                    | 2 | --shadow
          triage --json                        | 2 | --shadow
          run {here}/items.jsonl --data {here}/empty.jsonl/below | 1 | --data
          sweep --data {here}/data             | 1 | {here}/data ~ --data
          ps --console http://127.0.0.1:1      | 1 | the console at http://127.0.0.1:1/ does not answer (
          ps --console flyball.example         | 2 | flyball.example:
          ps --console http://127.0.0.1:1 --console-token-file /none | 2 | /none
          # no agent: it would use up each item's attempts
          run {here}/items.jsonl --agent codex | 2 | --agent: agent codex is not on PATH
          run {here}/empty.jsonl --agent clade | 2 | --agent: 'clade' is not scout, claude, codex, ~  or command:/path/to/program
          run {here}/items.jsonl --agent {here}/empty.jsonl | 2 | is a file; write command:{here}/empty.jsonl
          run {here}/empty.jsonl --agent command:{here}/nope --data {here}/data | 2 | --agent: agent ~ nope ~ sessions.agent
          up --agent command:{here}/nope --data {here}/data                     | 2 | --agent: agent ~ nope ~ sessions.agent
          runner --agent command:{here}/nope --data {here}/data --bootstrap-servers 127.0.0.1:1 | 2 | nope ~ sessions.agent
          triage --shadow {here}/agent.yaml --data {here}/data                  | 2 | /no/such
          # no Kafka
          producer --data {here}/data          | 2 | --bootstrap-servers
          triage --data {here}/data            | 2 | --bootstrap-servers
          runner --data {here}/data            | 2 | --bootstrap-servers
          triage --shadow {here}/rules.yaml --data {here}/data | 1 | --bootstrap-servers
          """)
  void whatCannotBeDoneIsOneLineWithItsReasonAndStartsNothing(String line, int code, String said) {
    Answer answer = flyball(here(line).split(" "));

    assertThat(answer.code()).as(answer.err()).isEqualTo(code);
    assertThat(answer.out()).isEmpty();
    assertThat(answer.err())
        .startsWith("flyball: ")
        .contains(here(said).split(" ~ "))
        .hasLineCount(1);
    assertThat(folder.resolve("data")).doesNotExist();
  }

  @Test
  void aReasonThatIsTooLongAndACapOfTheEnvironmentAreNamed() {
    Answer reason = flyball("cancel", "acme/items/1", "--why", "x".repeat(501));
    assertThat(reason.code()).isEqualTo(2);
    assertThat(reason.err()).startsWith("flyball: --why ").hasLineCount(1);
    Answer cap = flyball(Map.of("FLYBALL_CAP", "0"), "run", here("{here}/empty.jsonl"));
    assertThat(cap.code()).isEqualTo(2);
    assertThat(cap.err()).startsWith("flyball: FLYBALL_CAP: ");
  }

  @Test
  void aFileWithoutItemsIsNamedAndStartsNothing() {
    Answer answer = flyball("run", here("{here}/empty.jsonl"), "--data", here("{here}/data"));

    assertThat(answer.code()).isZero();
    assertThat(answer.err()).isEqualTo(here("flyball: {here}/empty.jsonl has no items\n"));
    assertThat(folder.resolve("data")).doesNotExist();
  }

  @Test
  void aDryRunShowsWhatWouldBecomeOfEachItem() {
    String sources = "sources=[{name: web, type: jsonl, path: '{here}/items.jsonl'}]";

    Answer answer = flyball("producer", "--once", "--dry-run", "--set", here(sources));

    assertThat(answer.out())
        .matches(
            "item\twould be\ttitle\n"
                + "default/web/1\tskipped: [^\t]+\tb\n"
                + "default/web/2\tskipped: [^\t]+\tc\n");
    assertThat(answer.err()).contains("default/web: 2 items read", "nothing was published");
  }

  @Test
  void configPrintsEachValueWithItsSource() throws IOException {
    Path file = Files.writeString(folder.resolve("f.yaml"), "cap: 5\n");

    Answer answer =
        flyball(
            Map.of("FLYBALL_SESSIONS_SLOTS", "2"),
            ("config --set log.level=warn --config " + file).split(" "));

    assertThat(answer.out().lines())
        .contains(
            "key\tvalue\tsource",
            "cap\t5\t" + file + ":1",
            "sessions.slots\t2\tFLYBALL_SESSIONS_SLOTS",
            "log.level\twarn\t--set",
            "ledger.lease\t45s\tdefault");
  }

  @ParameterizedTest
  @MethodSource("dev.flyball.runner.agent.AgentProgram#ofModels")
  void anAgentThatCostsMoneyNeedsAYesAndWithoutATerminalItIsAUsageError(String agent) {
    Answer answer = flyball(installed(), paid("--agent " + agent));

    assertThat(answer.code()).isEqualTo(2);
    assertThat(answer.err())
        .contains("budget.daily.usd is not set: 20 USD a day apply to " + agent)
        .contains("2 items, " + agent + ": at most $3.20 with $0.50 a session")
        .contains("flyball: --agent " + agent + " costs money", "add --yes");
    assertThat(folder.resolve("data")).doesNotExist();
  }

  @Test
  void theAnswerNoStartsNothing() {
    Answer no =
        CommandLineFixture.asked(
            installed(), "n\n", paid("--set sessions.agent=claude --set budget.daily.usd=0.20"));

    assertThat(no.code()).isEqualTo(1);
    assertThat(no.err()).contains("$0.20", "budget.daily.usd", "[y/N]");
    assertThat(folder.resolve("data")).doesNotExist();
  }

  // S4-23
  @Test
  void aSecondStartOnOneDataFolderExits1WithOneLine() {
    String data = here("{here}/held");
    try (DataLock held = DataLock.take(Path.of(data))) {
      Answer answer = flyball("run", here("{here}/items.jsonl"), "--data", data);

      assertThat(held).isNotNull();
      assertThat(answer.code()).isEqualTo(1);
      assertThat(answer.err()).contains(data, "--data").hasLineCount(1);
      assertThat(Path.of(data, "kafka")).doesNotExist();
    }
  }

  /** All agents are on PATH. */
  private static Map<String, String> installed() {
    return Map.of("PATH", folder.toString());
  }

  /** The words of a run over two items. */
  private static String[] paid(String more) {
    return here("run {here}/items.jsonl --repo {here} --data {here}/data " + more).split(" ");
  }

  private static String here(String text) {
    return text.replace(HERE, folder.toString());
  }

  @Test
  void topicsAreListedWithoutAKafkaAndWithoutAHeaderOnRequest() {
    Answer answer = flyball("topics");

    assertThat(answer.code()).isZero();
    assertThat(answer.out())
        .startsWith("topic\tpartitions\t")
        .contains("flyball.session-ledger\t1\tdelete\tledger-entry/1");
    assertThat(answer.err()).contains("`offsets`", "--bootstrap-servers");
    assertThat(flyball("topics", "--no-headers").out())
        .isEqualTo(answer.out().substring(answer.out().indexOf('\n') + 1));
  }

  @Test
  void theCommandsOfAnAdministratorArePrinted() {
    Answer answer =
        flyball(
            ("topics|--print-commands|--print-acls|--bootstrap-servers|h:1|--command-config"
                    + "|an admin.properties")
                .split("\\|"));

    assertThat(answer.out().lines())
        .anyMatch(line -> line.startsWith("kafka-topics.sh "))
        .anyMatch(line -> line.startsWith("kafka-acls.sh "))
        .allMatch(line ->
            line.contains(" --bootstrap-server h:1 --command-config 'an admin.properties' "));
  }

  @Test
  void theCompletionScriptKnowsEveryCommandAndItsOptions() {
    Answer script = flyball("completion");

    assertThat(script.code()).isZero();
    assertThat(script.out())
        .contains("complete -F", "-o default flyball")
        .contains("--no-headers", "dead-letters", "requeue", "init", "completion");
  }

  @Test
  void windowsIsRejectedWithOneLineAndTheFix() {
    assertThat(Flyball.unsupported("Windows 11"))
        .hasValueSatisfying(line -> assertThat(line).contains("Windows", "WSL 2").isASCII());
    assertThat(Flyball.unsupported("Linux")).isEmpty();
    assertThat(Flyball.unsupported("Mac OS X")).isEmpty();
    assertThat(Flyball.unsupported("Darwin")).isEmpty();
  }

  @Test
  void aTestMessageGoesToEachTargetAndAFailureIsTheExitCode() {
    try (var good = FaultServer.http();
        var bad = FaultServer.http()) {
      good.otherwise(_ -> FaultReply.status(200, Map.of()));
      bad.otherwise(_ -> FaultReply.status(404, Map.of()));
      String targets =
          "notify=[{name: ops, type: slack, url: '"
              + good.url()
              + "/s', on: [dead, hung]}, {type: teams, url: '"
              + bad.url()
              + "/t', on: [trouble], tenant: acme}]";

      assertThat(flyball("notify", "--set", targets).out().lines())
          .containsExactly(
              "target\ttype\ton\ttenant", "ops\tslack\tdead,hung\t", "teams\tteams\ttrouble\tacme");

      Answer all = flyball("notify", "test", "--set", targets);
      assertThat(all.code()).isEqualTo(1);
      assertThat(all.out())
          .contains("ops\tslack\tsent\t", "teams\tteams\tfailed\t127.0.0.1 answered 404; make");
      assertThat(good.requests().getFirst().body()).contains("Test message");

      assertThat(flyball("notify", "test", "ops", "--set", targets).code()).isZero();
      assertThat(bad.requests()).hasSize(1);
      assertThat(flyball("notify", "test", "none", "--set", targets).err())
          .contains("no target 'none'");
    }
  }
}
