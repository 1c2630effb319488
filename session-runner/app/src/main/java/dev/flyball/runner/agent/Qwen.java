package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.Agent.Trait;
import dev.flyball.runner.agent.AgentProgram.AgentArguments;
import dev.flyball.runner.prompt.AgentInput;
import dev.flyball.runner.prompt.DeepPrompt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Qwen Code with any endpoint that speaks OpenAI's chat completions, also a local one. It reports
 * tokens but no cost.
 *
 * @param model the value for {@code --model}; null for the program's choice
 */
public record Qwen(@Nullable String model) implements AgentProgram {
  @Override
  public Facts facts() {
    return new Facts(
        "qwen",
        "qwen",
        "npm install -g @qwen-code/qwen-code",
        "qwen3-coder-plus",
        "qwen3-coder-flash",
        "qwen",
        new AgentArguments(Set.of("--max-session-turns"), Set.of()));
  }

  @Override
  public Agent session(Setup setup) {
    // Of the tools that are left to it, only reading a file.
    List<String> own = List.of("--exclude-tools", "edit,run_shell_command");
    return agent(setup.prompt(), own, List.of("--chat-recording", "--session-id", Agent.SESSION));
  }

  @Override
  public Optional<Agent> oneAnswer(String schema, long budgetMicros) {
    // The answer is kept in a topic. A transcript on disk would only repeat the items' texts.
    List<String> own = List.of("--exclude-tools", "edit,run_shell_command,read_file");
    return Optional.of(agent(DeepPrompt.BUNDLED, own, List.of("--no-chat-recording")));
  }

  private Agent agent(AgentInput input, List<String> own, List<String> keeping) {
    var command = new ArrayList<>(List.of(name(), "-o", "stream-json", "--auth-type", "openai"));
    // The repository's settings, hooks, MCP servers and .env files stay unread: such a file could
    // lead the key to another endpoint.
    command.add("--bare");
    // A tool that would ask is denied, because no user is there.
    command.addAll(List.of("--approval-mode", "default"));
    command.addAll(own);
    command.addAll(keeping);
    command.addAll(AgentProgram.model(model));
    return new Agent(
        name(),
        command,
        Agent.Variables.ofProvider(Set.of("OPENAI_API_KEY"), Set.of("OPENAI_BASE_URL"), Map.of()),
        input,
        _ -> new Reader(),
        Set.of(Trait.PAID),
        Claude::resumed,
        null);
  }

  /**
   * Reads its stream-json, whose shape is that of Claude Code. Two figures differ: input tokens
   * include the cached ones, and the result of a resumed session counts the earlier calls once
   * more. So what the messages report counts, less what is cached.
   */
  static final class Reader extends Claude.Reader {
    /** How it begins a message that it wrote itself, because a call failed. */
    private static final String OWN_ERROR = "[API Error";

    private TokenCount total = TokenCount.NONE;

    @Override
    @Nullable AgentAnswer explained(Exit exit, String stderrTail) {
      return !any && stderrTail.contains("No saved session found")
          ? transcript.unknownSession("qwen")
          : null;
    }

    @Override
    void object(JsonNode node) {
      switch (type(node)) {
        case "assistant" -> {
          JsonNode message = node.path("message");
          String text = message.path("content").path(0).path("text").asText();
          if (message.path("usage") instanceof ObjectNode usage) {
            TokenCount used =
                count(usage, "input_tokens", "cache_read_input_tokens", "output_tokens");
            if (used.none() && text.startsWith(OWN_ERROR)) {
              ((ObjectNode) node).put("error", "api_error");
            }
            usage.put("input_tokens", used.input());
            total = total.plus(used);
          }
        }
        case "result" -> {
          if (node.path("usage") instanceof ObjectNode usage) {
            usage.put("input_tokens", total.input());
            usage.put("cache_read_input_tokens", total.cached());
            usage.put("output_tokens", total.output());
          }
          // Claude's result names its errors in a list; this program in an object.
          if (node instanceof ObjectNode result && node.path("error").path("message").isTextual()) {
            result.putArray("errors").add(node.path("error").path("message").asText());
          }
        }
        default -> {}
      }
      super.object(node);
    }
  }
}
