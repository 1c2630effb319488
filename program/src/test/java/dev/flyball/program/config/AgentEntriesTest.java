package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.Claude;
import dev.flyball.runner.agent.Codex;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.agent.TokenPrices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AgentEntriesTest {
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{name: default, agent: claude}",
        "{name: Deep, agent: claude}",
        "{agent: claude}",
        "{name: a}",
        "{name: a, agent: claud}",
        "{name: a, agent: claude, modle: x}",
        "{name: a, agent: claude, tools: [Bash]}",
        "{name: a, agent: codex, tools: [Read]}",
        "{name: a, agent: codex, args: [--yolo]}",
        "{name: a, agent: codex, args: [fix it]}",
        "{name: a, agent: codex, env: [A-B]}",
        "{name: a, agent: codex, prices: {input: 1}}",
        "{name: a, agent: claude, prices: {input: 1, output: 1}}",
        "{name: a, agent: claude, wall-clock: 0s}",
        "a",
      })
  void whatIsNoProfileIsRefusedAtItsLine(String entry) {
    assertThat(refused("agents:\n  - {name: good, agent: scout}\n  - " + entry + "\n"))
        .singleElement()
        .asString()
        .contains(":3: ");
  }

  @Test
  void twoProfilesOfOneNameAreRefused() {
    assertThat(refused("agents:\n  - {name: a, agent: scout}\n  - {name: a, agent: claude}\n"))
        .singleElement()
        .asString()
        .contains(":3: ", ":2");
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

  private List<String> refused(String yaml) {
    return catchThrowableOfType(ConfigurationError.class, () -> apps(yaml).agents()).lines();
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
