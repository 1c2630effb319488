package dev.flyball.runner.agent;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.runner.prompt.DeepPrompt;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs Codex as {@code codex exec}. It reports tokens but no cost, so a session is booked with its
 * whole reserve.
 */
public final class CodexAdapter implements AgentAdapter {
  private static final List<String> ENV =
      NetworkVariables.and("CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_HOME");

  private final @Nullable String model;

  /**
   * @param model the value for {@code --model}, null for the program's choice
   */
  public CodexAdapter(@Nullable String model) {
    this.model = model;
  }

  @Override
  public String label() {
    return "codex";
  }

  @Override
  public List<String> command(String session) {
    var command = new ArrayList<String>();
    command.addAll(List.of("codex", "exec", "--json", "--sandbox", "read-only"));
    command.addAll(List.of("--skip-git-repo-check", "--ephemeral"));
    // Hooks, rules and MCP servers of a repository apply only where the user's configuration trusts
    // it. Without that configuration nothing is trusted.
    command.addAll(List.of("--ignore-user-config", "--ignore-rules"));
    if (model != null) {
      command.addAll(List.of("--model", model));
    }
    command.add("-");
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
  public boolean identifiedAtSpawn() {
    return false;
  }

  @Override
  public boolean endsTurnOnInterrupt() {
    return false;
  }

  @Override
  public boolean paid() {
    return true;
  }

  @Override
  public AgentReader reader() {
    return new CodexReader(model);
  }
}
