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
 * Runs Gemini CLI without a terminal, which makes it headless; its prompt is standard input. It
 * reports tokens but no cost, so a session is booked with its whole reserve.
 */
public final class GeminiAdapter implements AgentAdapter {
  private static final List<String> ENV =
      NetworkVariables.and(
          "GEMINI_API_KEY",
          "GOOGLE_API_KEY",
          "GOOGLE_CLOUD_PROJECT",
          "GOOGLE_CLOUD_LOCATION",
          "GOOGLE_GENAI_USE_VERTEXAI",
          "GOOGLE_APPLICATION_CREDENTIALS");

  private final @Nullable String model;

  /**
   * @param model the value for {@code --model}, null for the program's choice
   */
  public GeminiAdapter(@Nullable String model) {
    this.model = model;
  }

  @Override
  public String label() {
    return "gemini";
  }

  @Override
  public List<String> command(String session) {
    var command = new ArrayList<String>();
    // In this mode a tool that would ask is denied. In an untrusted workspace it exits with 55. The
    // user decides whether to trust a workspace, so no flag here does.
    command.addAll(List.of("gemini", "-o", "stream-json", "--approval-mode", "default"));
    // Names that do not exist: no MCP server of the repository and no extension starts.
    command.addAll(List.of("--allowed-mcp-server-names", "none", "--extensions", "none"));
    if (model != null) {
      command.addAll(List.of("--model", model));
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
    return new GeminiReader();
  }
}
