package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.runner.agent.AgentProfile.Bounds;
import dev.flyball.runner.agent.AgentSignal.Usage;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AgentProfileTest {
  private static final AgentName CLAUDE = new AgentName.Claude("opus");
  private static final AgentName CODEX = new AgentName.Codex("gpt-x");
  private static final AgentName OWN = new AgentName.Command("/bin/agent");

  @Test
  void itsArgumentsAndToolsAreOnItsCommandLineAndCodexStillReadsItsPromptFromStandardInput() {
    String provider =
        "model_providers.x={name=\"x\",base_url=\"http://127.0.0.1:1/v1\",env_key=\"X\"}";
    List<String> own = List.of("-c", "model_provider=x", "-c", provider);

    assertThat(command(profile(CODEX, own)))
        .startsWith("codex", "exec", "--json", "--sandbox", "read-only")
        .containsSubsequence(own)
        .endsWith(provider, "-");
    assertThat(command(profile(CLAUDE, List.of("--effort", "low")))).endsWith("--effort", "low");
    assertThat(command(profile(OWN, List.of("be quick"))))
        .containsExactly("/bin/agent", "be quick");
    assertThat(command(with(CLAUDE, List.of("Read", "Grep"), null)))
        .containsSequence("--tools", "Read,Grep", "--allowedTools", "Read,Grep");
  }

  @ParameterizedTest
  @CsvSource({
    "claude, --dangerously-skip-permissions",
    "claude, --permission-mode=bypassPermissions",
    "claude, --permission-mode=plan",
    "claude, --allowedTools=Bash",
    "claude, --settings=x.json",
    "claude, --mcp-config=x.json",
    "claude, -p",
    "claude, what is the answer?",
    "claude, --resume=x",
    "codex, --dangerously-bypass-approvals-and-sandbox",
    "codex, --sandbox=workspace-write",
    "codex, --full-auto",
    "codex, resume",
    "codex, -csandbox_mode=danger-full-access",
    "codex, -c=approval_policy=never",
    "codex, --config=sandbox_mode=workspace-write",
    "codex, --config=\"sandbox_mode\"=x",
    "codex, --config=mcp_servers.x.command=sh",
    "codex, --config=notify=[sh]",
    "codex, --config=model=x",
    "codex, --config",
    "gemini, --yolo",
    "gemini, --approval-mode=auto_edit",
    "gemini, -y",
    "gemini, --prompt=x",
    "command:/bin/claude, --dangerously-skip-permissions",
    "scout, --fast",
  })
  void noArgumentWidensAPermissionOrIsAPrompt(String agent, String argument) {
    assertThatThrownBy(() -> profile(AgentName.parse(agent), List.of(argument)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("args");
  }

  @Test
  void anOptionIsNoValueOfAnother() {
    assertThatThrownBy(() -> profile(CLAUDE, List.of("--effort", "--print")))
        .hasMessageContaining("args");
    assertThatThrownBy(() -> profile(CLAUDE, List.of("--bare", "do this")))
        .hasMessageContaining("do this");
  }

  @Test
  void toolsAndPricesAreRefusedWhereTheyWouldDoNothing() {
    var prices = new TokenPrices(1, 1, 1);

    assertThatThrownBy(() -> with(CODEX, List.of("Read"), null)).hasMessageContaining("tools");
    assertThatThrownBy(() -> with(CLAUDE, List.of(), prices)).hasMessageContaining("prices");
    assertThat(with(CODEX, List.of(), prices).paid()).isTrue();
  }

  @Test
  void tokensOfAnAgentThatReportsNoCostHaveTheirPriceRoundedUp() {
    // 1.25, 10 and 0.125 dollars a million tokens
    var profile = with(CODEX, List.of(), new TokenPrices(1_250_000, 10_000_000, 125_000));
    String turn =
        "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1001,\"cached_input_tokens\":801,"
            + "\"output_tokens\":30}}";

    List<AgentSignal> said = AgentCatalogue.of(profile, List.of(), 0).reader().line(turn);

    // 200 * 1.25 + 30 * 10 + 801 * 0.125 = 650.125 micro-dollars
    assertThat(said).contains(new Usage(200, 30, 801, 651));
  }

  @Test
  void aModelWithoutAPriceReservesNothing() {
    AgentProfile free = with(CODEX, List.of(), new TokenPrices(0, 0, 0));

    assertThat(free.paid()).isFalse();
    assertThat(AgentCatalogue.of(free, List.of(), 0).is(Agent.Trait.PAID)).isFalse();
  }

  @Test
  void aProgramOfTheOperatorMayHaveAPrice() {
    var agent = AgentCatalogue.of(with(OWN, List.of(), new TokenPrices(1, 0, 0)), List.of(), 0);

    assertThat(agent.traits()).contains(Agent.Trait.PAID, Agent.Trait.IDENTIFIED_AT_SPAWN);
  }

  private static List<String> command(AgentProfile profile) {
    return AgentCatalogue.of(profile, List.of(), 0).command("session");
  }

  private static AgentProfile profile(AgentName agent, List<String> arguments) {
    return new AgentProfile(
        "deep", agent, arguments, List.of(), List.of(), null, null, Bounds.USUAL);
  }

  private static AgentProfile with(
      AgentName agent, List<String> tools, @Nullable TokenPrices prices) {
    return new AgentProfile("deep", agent, List.of(), List.of(), tools, prices, null, Bounds.USUAL);
  }
}
