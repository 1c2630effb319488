package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.runner.agent.Claude;
import dev.flyball.runner.agent.Codex;
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

/**
 * The entries of `agents`, `routes` and `notify`: every key is taken up, what is wrong is named.
 */
final class ListEntriesTest {
  @TempDir Path folder;

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
    assertThat(one.later(other)).containsExactly("agents needs a restart");
    assertThat(one.later(one)).isEmpty();
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

  private AppConfigurations apps(String yaml) {
    return new AppConfigurations(configuration(yaml));
  }

  private Configuration configuration(String yaml) {
    return ConfigurationLoader.of(yaml, folder.resolve("flyball.yaml"));
  }
}
