package dev.flyball.program.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.program.config.ConfiguredClassifier;
import dev.flyball.program.config.ModelApi;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.Claude;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.agent.Scout;
import dev.flyball.tracker.Credential;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What doctor says about agents, over programs of this test's own. */
final class AgentCheckTest {
  private static final AgentProgram CLAUDE = new Claude(null);

  @TempDir Path folder;

  @Test
  void theConfiguredAgentIsFoundWithItsVersionOrReportedWithTheFix() throws IOException {
    assertThat(all(CLAUDE).getFirst())
        .returns(Finding.State.UNHEALTHY, Finding::state)
        .satisfies(it -> assertThat(it.fix()).contains("npm install -g @anthropic-ai/claude-code"));

    program("claude", "echo broken; exit 1");
    assertThat(all(CLAUDE).getFirst())
        .returns(Finding.State.DEGRADED, Finding::state)
        .satisfies(it -> assertThat(it.fix()).contains("/claude --version"));

    program("claude", "echo '9.9 (Claude Code)'; echo more");
    assertThat(all(CLAUDE))
        .startsWith(Finding.ok("agent", "claude: 9.9 (Claude Code), " + folder.resolve("claude")));
  }

  @Test
  void theClassifiersProgramIsCheckedWithItsModel() throws IOException {
    var haiku =
        new ConfiguredClassifier.ByAgent(
            AgentProfile.usual(new Claude("haiku")), Duration.ofMinutes(1), 0);
    assertThat(AgentCheck.classifier(haiku, path()))
        .satisfies(it -> assertThat(it.check()).isEqualTo("classifier"))
        .satisfies(it -> assertThat(it.state()).isEqualTo(Finding.State.UNHEALTHY))
        .satisfies(it -> assertThat(it.fix()).contains("triage.agent"));
    assertThat(AgentCheck.missing(haiku, path())).isPresent();

    program("claude", "echo '9.9 (Claude Code)'");
    assertThat(AgentCheck.classifier(haiku, path()).found()).contains("9.9", "model haiku");
    assertThat(AgentCheck.missing(haiku, path())).isEmpty();
  }

  @Test
  void theTokenOfAnEndpointIsMissedBeforeTheStart() {
    var endpoint =
        new ConfiguredClassifier.ByMessages(
            ModelApi.CHAT,
            URI.create("https://gpu.example"),
            "small",
            new Credential.Environment("MODEL_TOKEN"),
            Duration.ofMinutes(1),
            null,
            0);
    assertThat(AgentCheck.missing(endpoint, Map.of()))
        .hasValueSatisfying(it -> assertThat(it).contains("MODEL_TOKEN"));
    assertThat(AgentCheck.classifier(endpoint, Map.of()))
        .returns(Finding.State.UNHEALTHY, Finding::state)
        .satisfies(it -> assertThat(it.fix()).contains("MODEL_TOKEN"));

    assertThat(AgentCheck.missing(endpoint, Map.of("MODEL_TOKEN", "t"))).isEmpty();
    assertThat(AgentCheck.classifier(endpoint, Map.of("MODEL_TOKEN", "t")))
        .isEqualTo(Finding.ok("classifier", "model small at https://gpu.example"));
  }

  @Test
  void agentsThatAreNotConfiguredMayBeMissing() throws IOException {
    program("codex", "echo codex-cli 1.0");

    assertThat(all(new Scout()))
        .hasSize(1 + AgentProgram.ofModels().size())
        .extracting(Finding::check, Finding::state)
        .startsWith(
            tuple("agent", Finding.State.OK),
            tuple("agent claude", Finding.State.ABSENT),
            tuple("agent codex", Finding.State.OK));
    assertThat(all(new Scout()).get(2).found()).startsWith("codex: codex-cli 1.0, ");
  }

  @Test
  void aMissingProgramIsReportedBeforeTheStartWithTheFix() throws IOException {
    program("mine", "echo hi");
    Path plain = Files.writeString(folder.resolve("plain"), "no program");

    assertThat(missing(CLAUDE)).hasValueSatisfying(it -> assertThat(it).contains("npm install"));
    assertThat(missing(new Command("mime")))
        .contains("mime is not there; correct sessions.agent, or install it");
    assertThat(missing(new Command("mine"))).isEmpty();
    assertThat(missing(new Command(folder.resolve("mine").toString()))).isEmpty();
    assertThat(missing(new Scout())).isEmpty();
    assertThat(missing(new Command(plain.toString())))
        .as("one that is there says why it cannot be started in each session's end")
        .isEmpty();
  }

  @Test
  void everyProfileIsChecked() {
    var deep =
        new AgentProfile(
            "deep", CLAUDE, List.of(), List.of(), List.of(), null, null, AgentProfile.Bounds.USUAL);

    List<Finding> found =
        AgentCheck.all(List.of(AgentProfile.usual(new Scout()), deep), path()).toList();

    assertThat(found)
        .extracting(Finding::check, Finding::state)
        .startsWith(
            tuple("agent", Finding.State.OK), tuple("profile deep", Finding.State.UNHEALTHY))
        .doesNotContain(tuple("agent claude", Finding.State.ABSENT));
  }

  private Optional<String> missing(AgentProgram agent) {
    return AgentCheck.missing(AgentProfile.usual(agent), path());
  }

  private Map<String, String> path() {
    return Map.of("PATH", folder.toString());
  }

  private List<Finding> all(AgentProgram configured) {
    return AgentCheck.all(List.of(AgentProfile.usual(configured)), path()).toList();
  }

  private void program(String name, String script) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + script + "\n");
    file.toFile().setExecutable(true);
  }
}
