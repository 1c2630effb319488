package dev.flyball.runner.agent;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.runner.prompt.DeepPrompt;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs Claude Code as {@code claude -p}. The repositories that it reads are foreign: nothing in
 * their files may start a program (decision 0010), and no flag ever bypasses a permission.
 */
public final class ClaudeAdapter implements AgentAdapter {
  /**
   * Tools that change nothing and start nothing: no shell, no subagents, no network. What is not
   * named does not exist for the model.
   */
  static final List<String> READ_ONLY = List.of("Read", "Glob");

  private static final Map<String, String> SETS =
      Map.of(
          // Three retries are enough: triage-stream has the better back-off.
          "CLAUDE_CODE_MAX_RETRIES", "3",
          "CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS", "1",
          "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1",
          "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1",
          "DISABLE_AUTOUPDATER", "1");

  private static final List<String> ENV =
      NetworkVariables.and(
          "ANTHROPIC_API_KEY",
          "ANTHROPIC_AUTH_TOKEN",
          "ANTHROPIC_BASE_URL",
          "ANTHROPIC_CUSTOM_HEADERS",
          "CLAUDE_CODE_OAUTH_TOKEN",
          "CLAUDE_CONFIG_DIR");

  private final String program;
  private final @Nullable String model;
  private final long budgetMicros;
  private final List<String> tools;

  /**
   * @param model the value for {@code --model}, null for the program's choice
   * @param budgetMicros most micro-dollars of one session, 0 for no limit
   */
  public ClaudeAdapter(@Nullable String model, long budgetMicros) {
    this("claude", model, budgetMicros, READ_ONLY);
  }

  ClaudeAdapter(String program, @Nullable String model, long budgetMicros, List<String> tools) {
    this.program = program;
    this.model = model;
    this.budgetMicros = budgetMicros;
    this.tools = List.copyOf(tools);
  }

  @Override
  public String label() {
    return "claude";
  }

  @Override
  public List<String> command(String session) {
    var command = new ArrayList<String>();
    command.addAll(List.of(program, "-p", "--output-format", "stream-json", "--verbose"));
    command.addAll(List.of("--session-id", session));
    // What is not allowed is denied, because no user is there to answer a question.
    command.addAll(List.of("--permission-mode", "dontAsk"));
    String named = String.join(",", tools);
    command.addAll(List.of("--tools", named, "--allowedTools", named));
    // The repository's hooks, permissions, environment and CLAUDE.md stay unread, and only MCP
    // servers named here (none) start. --bare would do too, but it rejects a subscription's login.
    command.addAll(List.of("--setting-sources", "", "--strict-mcp-config"));
    if (model != null) {
      command.addAll(List.of("--model", model));
    }
    if (budgetMicros > 0) {
      command.addAll(
          List.of(
              "--max-budget-usd",
              BigDecimal.valueOf(budgetMicros, 6).stripTrailingZeros().toPlainString()));
    }
    return List.copyOf(command);
  }

  @Override
  public String prompt(ItemKey item, SessionRequest request, Supplier<Codebase> codebase) {
    return DeepPrompt.of(item, request, codebase.get()).text();
  }

  @Override
  public List<String> env() {
    return ENV;
  }

  @Override
  public Map<String, String> sets() {
    return SETS;
  }

  @Override
  public boolean identifiedAtSpawn() {
    return false;
  }

  /** TERM leaves the turn unfinished and prints no result. INT prints one, with the spend. */
  @Override
  public boolean endsTurnOnInterrupt() {
    return true;
  }

  @Override
  public boolean paid() {
    return true;
  }

  @Override
  public AgentReader reader() {
    return new StreamJsonReader();
  }
}
