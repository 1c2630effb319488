package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.Claude;
import dev.flyball.runner.agent.Codex;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.agent.TokenPrices;
import dev.flyball.triage.item.Routing;
import dev.flyball.triage.item.Routing.Complexity;
import dev.flyball.triage.item.Routing.Labels;
import dev.flyball.triage.item.Routing.Modules;
import dev.flyball.triage.item.Routing.Priority;
import dev.flyball.triage.item.Routing.Rule;
import dev.flyball.triage.item.Routing.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The entries of `agents`, `routes` and `notify`: every key is taken up, what is wrong is named.
 */
final class ListEntriesTest {
  /** Each list up to its second entry, which is in the third line. */
  private static final Map<String, String> BEGINNINGS =
      Map.of(
          "agents", "agents:\n  - {name: good, agent: scout}\n  - ",
          "routes", "agents: [{name: good, agent: codex}]\nroutes:\n  - ",
          "notify", "notify:\n  - {name: good, type: slack, url-env: SLACK_URL, on: [dead]}\n  - ");

  @TempDir Path folder;

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          agents | {name: default, agent: claude}                          | :3:
          agents | {name: Deep, agent: claude}                             | :3:
          agents | {agent: claude}                                         | :3:
          agents | {name: a}                                               | :3:
          agents | {name: a, agent: claud}                                 | :3:
          agents | {name: a, agent: claude, modle: x}                      | :3:
          agents | {name: a, agent: claude, tools: [Bash]}                 | :3:
          agents | {name: a, agent: codex, tools: [Read]}                  | :3:
          agents | {name: a, agent: codex, args: [--yolo]}                 | :3:
          agents | {name: a, agent: codex, args: [fix it]}                 | :3:
          agents | {name: a, agent: codex, env: [A-B]}                     | :3:
          agents | {name: a, agent: codex, prices: {input: 1}}             | :3:
          agents | {name: a, agent: claude, prices: {input: 1, output: 1}} | :3:
          agents | {name: a, agent: claude, wall-clock: 0s}                | :3:
          agents | a                                                       | :3:
          agents | {name: good, agent: claude}                             | used twice, first at
          routes | {profile: deeper}                                       | :3:
          routes | {complexity: 4}                                         | :3:
          routes | {profile: good, complexity: 6}                          | :3:
          routes | {profile: good, complexity: 5-4}                        | :3:
          routes | {profile: good, priority: high}                         | :3:
          routes | {profile: good, label: [a]}                             | :3:
          notify | {type: irc, url: 'https://h/', on: [dead]}              | one of slack, teams, webhook
          notify | {type: slack, url-env: X}                               | needs on
          notify | {type: slack, url-env: X, on: [deaths]}                 | some of dead, hung, analysis, trouble
          notify | {type: slack, on: [dead]}                               | needs url, url-env or url-file
          notify | {type: slack, uri: x, on: [dead]}                       | no such key 'uri' in a target of notify
          notify | {type: teams, url-env: X, secret-env: Y, on: [dead]}    | secret has no meaning for type teams
          notify | {type: slack, url-env: X, url-file: Y, on: [dead]}      | url-env and url-file, not both
          notify | {type: webhook, url: 'http://h.example/', on: [dead]}   | insecure: true
          notify | {type: slack, name: good, url-env: X, on: [dead]}       | used twice
          """)
  void whatIsNoEntryIsRejectedAtItsLine(String list, String entry, String why) {
    assertThat(rejected(BEGINNINGS.get(list) + entry + "\n"))
        .singleElement()
        .asString()
        .contains(":3: ")
        .contains(why);
  }

  @Test
  void withoutAgentsTheKeysOfSessionsMakeTheOneProfile() {
    assertThat(profiles("sessions: {agent: claude, model: sonnet}\n"))
        .containsExactly(AgentProfile.usual(new Claude("sonnet")));
  }

  @Test
  void everyKeyOfAProfileIsTakenUp() {
    String yaml =
        """
        agents:
          - name: own
            agent: codex
            model: gpt-x
            args: [-c, model_provider=x, -c, 'model_providers.x={name="x",wire_api="responses"}']
            env: [X_KEY, Y_KEY]
            provider: x
            prices: {input: 1.25, output: 10, cached: 0.125}
            budget: {usd: 2, tokens: 900}
            wall-clock: 20m
          - {name: small, agent: claude, tools: [Glob]}
        """;

    List<AgentProfile> profiles = profiles(yaml);

    assertThat(profiles.get(1))
        .isEqualTo(
            new AgentProfile(
                "own",
                new Codex("gpt-x"),
                List.of(
                    "-c",
                    "model_provider=x",
                    "-c",
                    "model_providers.x={name=\"x\",wire_api=\"responses\"}"),
                List.of("X_KEY", "Y_KEY"),
                List.of(),
                new TokenPrices(1_250_000, 10_000_000, 125_000),
                "x",
                new AgentProfile.Bounds(2_000_000L, 900L, Duration.ofMinutes(20))));
    assertThat(profiles.get(2).tools()).containsExactly("Glob");
    assertThat(profiles.get(2).provider()).isEqualTo("anthropic/sonnet");
  }

  @Test
  void aProgramsPathCountsFromTheFilesFolder() {
    assertThat(profiles("agents: [{name: a, agent: 'command:bin/a'}]\n").get(1).agent())
        .isEqualTo(new Command(folder.resolve("bin/a").toString()));
  }

  @Test
  void oneProfileThatCostsMoneyBringsTheDailyBudgetAndOneThatAsksAModelTheNetwork() {
    AppConfigurations apps = apps("agents: [{name: a, agent: claude, budget: {usd: 3}}]\n");

    assertThat(apps.agents().dailyBudget()).contains(ConfiguredProfiles.DEFAULT_DAILY_MICROS);
    assertThat(apps.agents().highestReserve()).isEqualTo(3_000_000);
    assertThat(apps.runner("r").agents().confinement().network()).isEqualTo(AgentNetwork.HOST);
  }

  @Test
  void theConfigurationShowsEveryKeyAndAChangeNeedsARestart() {
    Configuration one = configuration("agents: [{name: a, agent: scout}]\n");
    Configuration other = configuration("agents: [{name: b, agent: scout}]\n");

    assertThat(one.rows())
        .anySatisfy(row -> {
          assertThat(row.key()).isEqualTo("agents[0].name");
          assertThat(row.value()).isEqualTo("a");
        });
    assertThat(LaterChanges.between(one, other)).containsExactly("agents needs a restart");
    assertThat(LaterChanges.between(one, one)).isEmpty();
  }

  @Test
  void aVariableAndAnOptionReplaceTheWholeList() throws IOException {
    Path file = folder.resolve("flyball.yaml");
    Files.writeString(file, "agents: [{name: a, agent: scout}]\n");
    var variable = Map.of("FLYBALL_AGENTS", "[{name: b, agent: scout}]");

    assertThat(names(ConfigurationLoader.load(file, variable, List.of()))).containsExactly("b");
    assertThat(names(ConfigurationLoader.load(file, variable, List.of("agents=[]")))).isEmpty();
  }

  private static List<String> names(Configuration configuration) {
    return new AppConfigurations(configuration)
        .agents().profiles().stream().skip(1).map(AgentProfile::name).toList();
  }

  @Test
  void everyKeyBecomesAConditionAndEachProfileKeepsItsProvider() {
    Routing routing =
        apps("""
        agents: [{name: deep, agent: codex, provider: own}]
        sessions: {agent: claude}
        routes:
          - profile: deep
            complexity: 4-5
            priority: 1
            modules: ["src/**", web]
            sources: [ado]
            labels: [urgent]
          - {profile: default}
        """)
            .triage()
            .machine()
            .routing();

    assertThat(routing.rules())
        .containsExactly(
            new Rule(
                "deep",
                List.of(
                    new Complexity(4, 5),
                    new Priority(1, 1),
                    new Modules(List.of("src/**", "web")),
                    new Sources(List.of("ado")),
                    new Labels(List.of("urgent")))),
            new Rule("default", List.of()));
    assertThat(routing.providers())
        .containsExactlyInAnyOrderEntriesOf(Map.of("default", "anthropic/sonnet", "deep", "own"));
  }

  @Test
  void everyKeyOfATargetIsTakenUp() {
    NotifyConfig config =
        apps("""
        console: {url: "https://flyball.example/"}
        notify:
          - {name: ops, type: slack, url-env: SLACK_URL, on: [dead, hung], tenant: acme}
          - {type: webhook, url: "https://h.example/x?k=1", secret-env: HOOK, on: [analysis]}
          - {type: teams, url: "http://t.example/", insecure: true, on: [trouble]}
        """)
            .notifications();

    assertThat(config.links().consoleUrl()).isEqualTo("https://flyball.example/");
    assertThat(config.targets())
        .extracting(NotifyTarget::name)
        .containsExactly("ops", "webhook", "teams");
    NotifyTarget ops = config.targets().getFirst();
    assertThat(ops.tenant()).isEqualTo("acme");
    assertThat(ops.on()).containsExactlyInAnyOrder(Notification.Kind.DEAD, Notification.Kind.HUNG);
  }

  @Test
  void anAddressIsHiddenInMessagesAndRows() {
    assertThat(rejected("notify: [{type: slack, url: 'ftp://h/hunter2', on: [dead]}]\n").toString())
        .doesNotContain("hunter2");
    Configuration shown =
        configuration("notify: [{type: webhook, url: 'https://h/hunter2', on: [dead]}]\n");
    assertThat(shown.rows()).extracting(Configuration.Row::value).contains("https://h/(hidden)");
    assertThat(shown.rows().toString()).doesNotContain("hunter2");
    assertThat(LaterChanges.between(shown, configuration("")))
        .containsExactly("notify needs a restart");
  }

  @Test
  void moreThanTwentyTargetsAreAMistake() {
    var yaml = new StringBuilder("notify:\n");
    for (int i = 0; i < 21; i++) {
      yaml.append("  - {name: t").append(i).append(", type: slack, url-env: X, on: [dead]}\n");
    }
    assertThat(rejected(yaml.toString())).singleElement().asString().contains("at most 20");
  }

  private List<String> rejected(String yaml) {
    return catchThrowableOfType(ConfigurationError.class, () -> apps(yaml).check()).lines();
  }

  private List<AgentProfile> profiles(String yaml) {
    return apps(yaml).agents().profiles();
  }

  private AppConfigurations apps(String yaml) {
    return new AppConfigurations(configuration(yaml));
  }

  private Configuration configuration(String yaml) {
    return ConfigurationLoader.of(yaml, folder.resolve("flyball.yaml"));
  }
}
