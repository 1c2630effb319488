package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.contract.text.PromptTemplate;
import dev.flyball.runner.agent.Agent.Trait;
import dev.flyball.runner.agent.AgentProfile.Bounds;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.runner.events.Redactor;
import dev.flyball.runner.prompt.AgentInput;
import dev.flyball.runner.prompt.DeepPrompt;
import dev.flyball.runner.prompt.Search;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("How agents are started, and what a profile may change of that")
class AgentsTest {
  private static final String ID = "0199-a.b_c";
  private static final String SECRET_TEXT = "the text of the item";
  private static final AgentProgram CLAUDE = new Claude("opus");
  private static final AgentProgram CODEX = new Codex("gpt-x");

  static Stream<AgentProgram> programs() {
    return Stream.concat(AgentProgram.named().stream(), Stream.of(new Command("/bin/agent")));
  }

  @Test
  void whatMayBeConfiguredIsWhatIsKnown() {
    assertThat(AgentProgram.named())
        .allSatisfy(each -> {
          assertThat(each.name()).matches(AgentProgram.pattern());
          assertThat(AgentProgram.parse(each.name())).isEqualTo(each);
        });
  }

  @ParameterizedTest
  @MethodSource("programs")
  @DisplayName(
      "the item goes to standard input, no flag bypasses a permission (S0-13), and what costs money"
          + " has a reserve (INV-8)")
  void everyAgentKeepsTo(AgentProgram program) {
    Agent agent = program.session(Setup.DEFAULT);
    var request = Sample.request("r", Instant.EPOCH, Sample.snapshot("title", SECRET_TEXT));

    assertThat(agent.input().of(ItemKey.parse("a/s/1"), request, () -> "")).contains(SECRET_TEXT);
    assertThat(agent.command(ID))
        .noneMatch(word ->
            word.matches(
                ".*("
                    + SECRET_TEXT
                    + "|skip-permissions|skip-trust|bypass|yolo|full-auto|danger|acceptEdits).*"));
    assertThat(agent.is(Trait.PAID)).isEqualTo(program.paid());
  }

  @Test
  void claudeIsLockedReadOnlyAndDeafToTheRepositorysSettings() {
    Setup setup = new Setup(DeepPrompt.BUNDLED, List.of("Read", "Grep"), List.of(), 500_000);
    String command =
        "claude -p --output-format stream-json --verbose --permission-mode dontAsk --session-id S"
            + " --tools Read,Grep --allowedTools Read,Grep --setting-sources  --strict-mcp-config"
            + " --json-schema "
            + AgentAnswer.SCHEMA;

    assertThat(String.join(" ", new Claude("haiku").session(setup).command("S")))
        .isEqualTo(command + " --model haiku --max-budget-usd 0.5");
    assertThat(new Claude(null).session(Setup.DEFAULT).command("S"))
        .doesNotContain("--model", "--max-budget-usd");
  }

  @Test
  void aProfilesArgumentsAndToolsAreOnTheCommandLineBeforeThePrompt() {
    String provider =
        "model_providers.x={name=\"x\",base_url=\"http://127.0.0.1:1/v1\",env_key=\"X\"}";
    List<String> own = List.of("-c", "model_provider=x", "-c", provider);

    assertThat(command(profile(CODEX, own)))
        .startsWith("codex", "exec", "--json", "--sandbox", "read-only")
        .containsSubsequence(own)
        .endsWith(provider, "-");
    assertThat(command(profile(CLAUDE, List.of("--effort", "low")))).endsWith("--effort", "low");
    assertThat(command(profile(new Command("/bin/agent"), List.of("be quick"))))
        .containsExactly("/bin/agent", "be quick");
    assertThat(command(with(CLAUDE, List.of("Read", "Grep"), null)))
        .containsSequence("--tools", "Read,Grep", "--allowedTools", "Read,Grep");
  }

  @ParameterizedTest
  @CsvSource({
    "claude, --permission-mode=bypassPermissions",
    "claude, --allowedTools=Bash",
    "claude, -p",
    "claude, what is the answer?",
    "claude, --resume=x",
    "claude, --effort",
    "claude, --effort=--print",
    "codex, --sandbox=workspace-write",
    "codex, --full-auto",
    "codex, resume",
    "codex, -csandbox_mode=danger-full-access",
    "codex, --config=\"sandbox_mode\"=x",
    "codex, --config=mcp_servers.x.command=sh",
    "codex, --config=model=x",
    "gemini, --yolo",
    "gemini, -y",
    "command:/bin/claude, --dangerously-skip-permissions",
    "scout, --fast",
  })
  void noArgumentWidensAPermissionOrIsAPrompt(String agent, String argument) {
    assertThatThrownBy(() -> profile(AgentProgram.parse(agent), List.of(argument)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("args");
  }

  @Test
  void anOptionWithoutAValueTakesNone() {
    assertThatThrownBy(() -> profile(CLAUDE, List.of("--bare", "do this")))
        .hasMessageContaining("do this");
  }

  @ParameterizedTest
  @CsvSource({"codex, 1, true", "codex, 0, false", "command:/bin/agent, 1, true"})
  void aPriceDecidesWhetherASessionCostsMoney(String name, long price, boolean paid) {
    AgentProgram program = AgentProgram.parse(name);
    AgentProfile profile = with(program, List.of(), new TokenPrices(price, 0, 0));

    assertThat(profile.paid()).isEqualTo(paid);
    assertThat(profile.session(DeepPrompt.BUNDLED, List.of(), 0).is(Trait.PAID)).isEqualTo(paid);
  }

  @ParameterizedTest
  @CsvSource({"scout, false", "claude, true", "codex, true", "gemini, true"})
  void scoutAloneAnswersNoQuestion(String agent, boolean answers) {
    assertThat(AgentProgram.parse(agent).oneAnswer("{}", 0).isPresent()).isEqualTo(answers);
  }

  @Test
  void aQuestionIsAskedWithoutToolsAndLeavesNothingOnDisk() {
    AgentProfile claude = with(CLAUDE, List.of("Read", "Grep"), null);
    AgentProfile codex = profile(CODEX, List.of("-c", "model_provider=local"));

    assertThat(claude.oneAnswer("{}", 0).orElseThrow().program())
        .containsSubsequence("--tools", "", "--no-session-persistence", "--json-schema", "{}")
        .doesNotContain("Read,Grep", "--session-id");
    assertThat(codex.oneAnswer("{}", 0).orElseThrow().program())
        .containsSubsequence("--ephemeral", "--output-schema", "-c", "model_provider=local")
        .endsWith("-");
  }

  @Test
  @DisplayName("codex resumes by a subcommand after all options, claude instead of a new id")
  void aSessionIsResumed() {
    assertThat(CLAUDE.session(Setup.DEFAULT).resuming(ID))
        .containsSequence("--resume", ID)
        .doesNotContain("--session-id", Agent.SESSION);
    assertThat(CODEX.session(Setup.DEFAULT).withArguments(List.of("--oss")).resuming(ID))
        .endsWith("--oss", "resume", ID, "-");
  }

  @ParameterizedTest
  @CsvSource({
    "claude, claude, 0199-a.b_c, true",
    "claude, codex, 0199-a.b_c, false",
    "codex, codex, 0199-a.b_c, true",
    "gemini, gemini, 0199-a.b_c, false",
    "qwen, qwen, 0199-a.b_c, true",
    "scout, scout, 0199-a.b_c, false",
    "claude, claude, --help, false",
    "claude, claude, '', false",
    "claude, claude, a b, false",
    "claude, claude, ../x, false",
    "claude, claude, -, false"
  })
  void onlyAnAgentThatKeepsSessionsGoesOnWithItsOwn(
      String agent, String made, String id, boolean resumes) {
    var earlier = new AgentSession(id, "r1", made, "default", 1, Instant.EPOCH, TokenCount.NONE);

    assertThat(AgentProgram.parse(agent).session(Setup.DEFAULT).resumes(earlier))
        .isEqualTo(resumes);
  }

  @Test
  void anOperatorsTemplateIsThePromptOfAllButScout() {
    String text = "template: mine/1\nOURS\n{{item}}\n{{answer}}\n";
    var mine =
        new DeepPrompt(PromptTemplate.parse("f.md", text, DeepPrompt.VARIABLES), Search.BOUNDED);
    var setup = new Setup(mine, List.of(), List.of(), 0);
    var request = Sample.request("r", Instant.EPOCH, Sample.snapshot("Title", "{{answer}} text"));

    AgentInput input = new Command("/bin/agent").session(setup).input();
    assertThat(input.prompt()).isEqualTo("mine/1");
    assertThat(input.of(ItemKey.parse("acme/web/1"), request, () -> ""))
        .startsWith("OURS")
        .contains("{{answer}} text");
    assertThat(new Scout().session(setup).input().prompt()).isNull();
  }

  @Test
  @DisplayName("of our environment an agent gets what it names, and the values of keys never leave")
  void variables() {
    var ours =
        Map.of(
            "PATH", "/usr/bin",
            "LC_ALL", "C.UTF-8",
            "ANTHROPIC_API_KEY", "an-odd-key-of-no-known-form",
            "ANTHROPIC_BASE_URL", "https://gateway.example.org",
            "NO_PROXY", "localhost",
            "DATABASE_PASSWORD", "correct-horse",
            "MY_SETTING", "battery-staple",
            "CLAUDE_CODE_MAX_RETRIES", "9");
    Agent claude = CLAUDE.session(Setup.DEFAULT);

    assertThat(claude.environment(ours, List.of()))
        .containsEntry("ANTHROPIC_API_KEY", "an-odd-key-of-no-known-form")
        .containsEntry("CLAUDE_CODE_MAX_RETRIES", "3")
        .containsKeys("PATH", "LC_ALL", "ANTHROPIC_BASE_URL")
        .doesNotContainKeys("DATABASE_PASSWORD", "MY_SETTING");
    assertThat(claude.environment(ours, List.of("CLAUDE_CODE_MAX_RETRIES", "MY_SETTING")))
        .containsEntry("CLAUDE_CODE_MAX_RETRIES", "9")
        .containsEntry("MY_SETTING", "battery-staple");
    assertThat(new Command("x").session(Setup.DEFAULT).environment(ours, List.of()))
        .containsOnlyKeys("PATH", "LC_ALL");
    assertThat(
            new Redactor(claude.secrets(ours, List.of("MY_SETTING")))
                .redact(String.join(" ", ours.values())))
        .contains("https://gateway.example.org", "localhost")
        .doesNotContain("odd-key", "battery", "horse");
  }

  private static List<String> command(AgentProfile profile) {
    return profile.session(DeepPrompt.BUNDLED, List.of(), 0).command("session");
  }

  private static AgentProfile profile(AgentProgram agent, List<String> arguments) {
    return new AgentProfile(
        "deep", agent, arguments, List.of(), List.of(), null, null, Bounds.USUAL);
  }

  private static AgentProfile with(
      AgentProgram agent, List<String> tools, @Nullable TokenPrices prices) {
    return new AgentProfile("deep", agent, List.of(), List.of(), tools, prices, null, Bounds.USUAL);
  }
}
