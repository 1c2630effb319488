package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.Codex;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.prompt.Search;
import dev.flyball.tracker.Credential;
import dev.flyball.triage.TriageConfig;
import dev.flyball.triage.item.Routing;
import dev.flyball.triage.item.Routing.Complexity;
import dev.flyball.triage.item.Routing.Labels;
import dev.flyball.triage.item.Routing.Modules;
import dev.flyball.triage.item.Routing.Priority;
import dev.flyball.triage.item.Routing.Rule;
import dev.flyball.triage.item.Routing.Sources;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.lib.StoredConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AppConfigurationsTest {
  @TempDir Path folder;

  @Test
  void anAgentThatCostsMoneyHasADailyBudgetOfTwentyDollarsUnlessOneIsSet() {
    AppConfigurations unset = apps("sessions: {agent: claude}\n");
    AppConfigurations set = apps("sessions: {agent: codex}\nbudget: {daily: {usd: 0.75}}\n");
    AppConfigurations free = apps("sessions: {agent: scout}\n");
    assertThat(daily(apps("triage: {classifier: agent, agent: claude}\n")))
        .containsExactly(20_000_000L);

    assertThat(daily(unset)).containsExactly(20_000_000L);
    assertThat(unset.agents().dailyBudgetNotice())
        .hasValueSatisfying(it -> assertThat(it).contains("20"));
    assertThat(daily(set)).containsExactly(750_000L);
    assertThat(set.agents().dailyBudgetNotice()).isEmpty();
    assertThat(daily(free)).isEmpty();
    assertThat(free.agents().dailyBudgetNotice()).isEmpty();
  }

  @Test
  @DisplayName("sessions.search chooses the prompt's limits; a set sessions.memory is kept")
  void searchAndMemory() {
    RunnerConfig usual = apps("tenant: acme\n").runner("r");
    RunnerConfig strict = apps("sessions: {search: none, memory: 700MB}\n").runner("r");

    assertThat(usual.agents().prompt().search()).isEqualTo(Search.BOUNDED);
    assertThat(strict.agents().prompt().search()).isEqualTo(Search.NONE);
    assertThat(strict.session().memoryBytes()).isEqualTo(700L << 20);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          sessions: {agent: claude}                                 | claude/sonnet | claude/haiku       | HOST
          sessions: {agent: codex}                                  | codex/gpt-5.4 | codex/gpt-5.4-mini | HOST
          sessions: {agent: gemini}                                 | gemini/flash  | gemini/flash-lite  | HOST
          sessions: {agent: claude, model: opus}                    | claude/opus   | claude/haiku       | HOST
          {sessions: {agent: claude}, triage: {model: sonnet}}      | claude/sonnet | claude/sonnet      | HOST
          {sessions: {agent: claude}, triage: {classifier: rules}}  | claude/sonnet | rules              | HOST
          sessions: {agent: claude, network: none}                  | claude/sonnet | claude/haiku       | NONE
          sessions: {agent: scout}                                  | scout/null    | rules              | NONE_WHERE_POSSIBLE
          sessions: {agent: scout, network: host}                   | scout/null    | rules              | HOST
          triage: {classifier: agent, agent: gemini}                | scout/null    | gemini/flash-lite  | NONE_WHERE_POSSIBLE
          """)
  @DisplayName("what runs, what judges and what agents reach unless it is configured")
  void theAgentTheClassifierAndTheNetwork(
      String yaml, String agent, String classifier, AgentNetwork network) {
    AppConfigurations apps = apps(yaml + "\n");

    assertThat(apps.agents().usual().agent().name() + "/" + apps.agents().usual().agent().model())
        .isEqualTo(agent);
    assertThat(apps.classifier())
        .isEqualTo(
            classifier.equals("rules")
                ? new ConfiguredClassifier.Rules()
                : new ConfiguredClassifier.ByAgent(
                    AgentProfile.usual(
                        AgentProgram.parse(classifier.split("/")[0])
                            .withModel(classifier.split("/")[1])),
                    Duration.ofMinutes(2),
                    100_000));
    assertThat(apps.runner("one").agents().confinement().network()).isEqualTo(network);
  }

  @Test
  void aProfileJudgesWithItsModelArgumentsVariablesAndPrices() {
    String profiles =
        """
        agents:
          - name: own
            agent: codex
            model: qwen3
            args: [-c, model_provider=local]
            env: [LOCAL_KEY]
            prices: {input: 0, output: 0}
        triage: {classifier: agent, agent: own}
        """;
    AppConfigurations apps = apps(profiles);

    assertThat(apps.classifier())
        .isEqualTo(
            new ConfiguredClassifier.ByAgent(
                apps.agents().profiles().getLast(), Duration.ofMinutes(2), 100_000))
        .returns(false, ConfiguredClassifier::paid);
  }

  @Test
  void aModelBehindAnEndpointJudgesWithTheVendorsAddressAndVariableUnlessConfigured() {
    assertThat(messages("model: m"))
        .isEqualTo(
            new ConfiguredClassifier.ByMessages(
                ModelApi.MESSAGES,
                URI.create("https://api.anthropic.com"),
                "m",
                new Credential.Environment("ANTHROPIC_API_KEY"),
                Duration.ofMinutes(2),
                null,
                100_000));
    assertThat(messages("model: m, api: chat"))
        .returns(ModelApi.CHAT, ConfiguredClassifier.ByMessages::api)
        .returns(URI.create("https://api.openai.com"), ConfiguredClassifier.ByMessages::url)
        .returns(
            new Credential.Environment("OPENAI_API_KEY"), ConfiguredClassifier.ByMessages::token);
    assertThat(
            messages(
                "model: m, api: chat, url: 'http://gpu.example:8000/v1/', timeout: 10s,"
                    + " prices: {input: 0.5, output: 2}"))
        .isEqualTo(
            new ConfiguredClassifier.ByMessages(
                ModelApi.CHAT,
                URI.create("http://gpu.example:8000/v1"),
                "m",
                new Credential.None(),
                Duration.ofSeconds(10),
                new TokenPrices(500_000, 2_000_000, 500_000),
                100_000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://127.0.0.1:1", "http://localhost:1", "https://gpu.example"})
  void aTokenGoesToThisMachineOrOverHttps(String url) {
    assertThat(messages("model: m, token-env: T, url: '" + url + "'").token())
        .isEqualTo(new Credential.Environment("T"));
  }

  @Test
  void aModelBehindAnEndpointCostsMoneyUnlessItsPricesAreZero() {
    String zero = "triage: {classifier: messages, model: m, prices: {input: 0, output: 0}}\n";
    assertThat(daily(apps(zero))).isEmpty();

    AppConfigurations paid = apps("triage: {classifier: messages, model: m}\n");
    assertThat(daily(paid)).containsExactly(20_000_000L);
    assertThat(paid.agents().paidAgents()).isEqualTo("m");
    assertThat(shown("triage: {classifier: messages, model: m}\n"))
        .containsEntry("triage.url", "https://api.anthropic.com (default for messages)")
        .containsEntry("triage.token-env", "ANTHROPIC_API_KEY (default for messages)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          classifier: messages, model: m, budget: {usd: 0}                                |  100000
          classifier: agent, agent: codex, budget: {usd: 0}                               |  100000
          classifier: agent, agent: claude, budget: {usd: 0}                              |  100000
          classifier: agent, agent: codex, budget: {usd: 2}                               | 2000000
          classifier: messages, model: m, prices: {input: 0, output: 0}                   |       0
          classifier: messages, model: m, budget: {usd: 0}, prices: {input: 1, output: 1} |  100000
          classifier: rules                                                               |       0
          """)
  @DisplayName("INV-8: no limit of a call does not mean that a call of unknown cost costs nothing")
  void aPaidCallWithoutALimitReservesTheDefault(String triage, long micros) {
    assertThat(apps("triage: {" + triage + "}\n").classifier().reserveMicros()).isEqualTo(micros);
  }

  private ConfiguredClassifier.ByMessages messages(String triage) {
    ConfiguredClassifier classifier =
        apps("triage: {classifier: messages, " + triage + "}\n").classifier();
    return (ConfiguredClassifier.ByMessages) classifier;
  }

  @Test
  void whatAnUnsetKeyGetsFromTheAgentIsShown() {
    assertThat(shown("sessions: {agent: claude}\n"))
        .containsEntry("sessions.model", "sonnet (default for claude)")
        .containsEntry("triage.classifier", "agent (default for claude)")
        .containsEntry("triage.agent", "claude (default for claude)")
        .containsEntry("triage.model", "haiku (default for claude)")
        .containsEntry("budget.daily.usd", "20 (default for claude)");
    assertThat(shown("sessions: {agent: claude, model: opus}\n").get("sessions.model"))
        .startsWith("opus (")
        .doesNotContain("default");
    assertThat(shown("sessions: {agent: scout}\n"))
        .containsEntry("sessions.model", " (default)")
        .containsEntry("budget.daily.usd", " (default)");
  }

  private Map<String, String> shown(String yaml) {
    return new AppConfigurations(configuration(yaml))
        .rows().stream()
            .collect(
                Collectors.toMap(
                    Configuration.Row::key, row -> row.value() + " (" + row.source() + ")"));
  }

  private static List<Long> daily(AppConfigurations apps) {
    return apps.runner("r1").ledger().budgets().stream()
        .map(each -> each.limits().dailyCostMicros())
        .toList();
  }

  @Test
  void withoutAnySettingEveryAppGetsItsDefaults() {
    var apps = apps("data: d\nsessions: {repo: r}\n");

    assertThat(apps.runner("one"))
        .isEqualTo(RunnerConfig.defaults("one", folder.resolve("r"), folder.resolve("d/runner")));
    assertThat(apps.producer())
        .isEqualTo(ProducerConfig.defaults(folder.resolve("d/producer"), List.of()));
    assertThat(apps.triage()).isEqualTo(TriageConfig.defaults(folder.resolve("d/triage")));
  }

  @Test
  void aProgramsPathCountsFromTheFilesFolderAndABareNameIsLookedUpLater() {
    assertThat(apps("sessions: {agent: 'command:bin/agent.sh'}\n").agents().usual().agent())
        .isEqualTo(new Command(folder.resolve("bin/agent.sh").toString()));
    assertThat(
            apps("agents: [{name: a, agent: 'command:bin/a'}]\n")
                .agents()
                .profiles()
                .getLast()
                .agent())
        .isEqualTo(new Command(folder.resolve("bin/a").toString()));
    assertThat(apps("sessions: {agent: 'command:agent'}\n").agents().usual().agent())
        .isEqualTo(new Command("agent"));
  }

  @ParameterizedTest
  @CsvSource({
    "git@github.com:acme/web.git, ssh://github.com/acme/web.git",
    "https://me:s3cret@github.com/acme/web, https://github.com/acme/web",
    "/srv/web.git,",
  })
  void aFolderIsLinkedToTheForgeOfItsCloneWithoutALogin(String remote, @Nullable String url)
      throws Exception {
    try (Git clone = Git.init().setDirectory(folder.toFile()).call()) {
      StoredConfig settings = clone.getRepository().getConfig();
      settings.setString("remote", "origin", "url", remote);
      settings.save();
    }
    String yaml = "sessions: {repo: .}\nsources: [{name: a, type: jsonl, path: x}]\n";
    assertThat(apps(yaml).repositoryUrls())
        .isEqualTo(url == null ? Map.of() : Map.of("default/a", url));
  }

  private AppConfigurations apps(String yaml) {
    return new AppConfigurations(configuration(yaml));
  }

  private Configuration configuration(String yaml) {
    return ConfigurationLoader.of(yaml, folder.resolve("flyball.yaml"));
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
  void oneProfileThatCostsMoneyBringsTheDailyBudgetAndOneThatAsksAModelTheNetwork() {
    AppConfigurations apps = apps("agents: [{name: a, agent: claude, budget: {usd: 3}}]\n");

    assertThat(apps.agents().dailyBudget()).contains(ConfiguredProfiles.DEFAULT_DAILY_MICROS);
    assertThat(apps.agents().highestReserve()).isEqualTo(3_000_000);
    assertThat(apps.runner("r").agents().confinement().network()).isEqualTo(AgentNetwork.HOST);
  }

  @Test
  void aVariableAndAnOptionReplaceTheWholeList() throws IOException {
    Path file = folder.resolve("flyball.yaml");
    Files.writeString(file, "agents: [{name: a, agent: scout}]\n");
    var variable = Map.of("FLYBALL_AGENTS", "[{name: b, agent: scout}]");

    assertThat(names(ConfigurationLoader.load(file, Map.of(), List.of("cap=1"))))
        .containsExactly("a");
    assertThat(names(ConfigurationLoader.load(file, Map.of("FLYBALL_AGENTS", "[]"), List.of())))
        .isEmpty();
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

    assertThat(config.consoleUrl()).isEqualTo("https://flyball.example/");
    assertThat(config.targets())
        .extracting(NotifyTarget::name)
        .containsExactly("ops", "webhook", "teams");
    NotifyTarget ops = config.targets().getFirst();
    assertThat(ops.tenant()).isEqualTo("acme");
    assertThat(ops.on()).containsExactlyInAnyOrder(Notification.Kind.DEAD, Notification.Kind.HUNG);
  }

  @Test
  void anAddressIsHiddenInMessagesAndRows() {
    Configuration shown =
        configuration("notify: [{type: webhook, url: 'https://h/hunter2', on: [dead]}]\n");
    assertThat(shown.rows()).extracting(Configuration.Row::value).contains("https://h/(hidden)");
    assertThat(shown.rows().toString()).doesNotContain("hunter2");
    assertThat(shown.later(configuration(""))).containsExactly("notify needs a restart");
  }

  private List<AgentProfile> profiles(String yaml) {
    return apps(yaml).agents().profiles();
  }
}
