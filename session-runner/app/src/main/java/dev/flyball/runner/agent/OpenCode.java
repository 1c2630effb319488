package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.runner.agent.Agent.Trait;
import dev.flyball.runner.agent.AgentProgram.AgentArguments;
import dev.flyball.runner.agent.AgentSignal.Identified;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.prompt.AgentInput;
import dev.flyball.runner.prompt.DeepPrompt;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * OpenCode as {@code opencode run} (seen: 1.18.33), with any of its providers. It knows the prices
 * of most models; the cost of any other is 0 and needs prices of the profile.
 *
 * @param model the value for {@code --model}: provider, slash and model; null for the program's
 *     choice
 */
public record OpenCode(@Nullable String model) implements AgentProgram {
  private static final List<String> READING = List.of("read", "glob", "grep", "list");

  @Override
  public Facts facts() {
    return new Facts(
        "opencode",
        "opencode",
        "npm install -g opencode-ai",
        // Another provider needs sessions.model and triage.model.
        "anthropic/claude-sonnet-5",
        "anthropic/claude-haiku-4-5",
        "opencode",
        new AgentArguments(Set.of("--variant"), Set.of()));
  }

  @Override
  public AgentProgram withModel(@Nullable String other) {
    return new OpenCode(other);
  }

  /** The provider of its model, whose limits other programs share. */
  @Override
  public String provider() {
    return model != null && model.contains("/")
        ? model.substring(0, model.indexOf('/'))
        : "opencode";
  }

  @Override
  public Agent session(Setup setup) {
    return agent(setup.prompt(), READING);
  }

  @Override
  public Optional<Agent> oneAnswer(String schema, long budgetMicros) {
    return Optional.of(agent(DeepPrompt.BUNDLED, List.of()));
  }

  private Agent agent(AgentInput input, List<String> tools) {
    // No plugin of the user's; and what it does in silence, such as waiting for its provider, it
    // says on standard error.
    var command =
        new ArrayList<>(
            List.of(name(), "run", "--pure", "--format", "json", "--print-logs", "--log-level"));
    command.add("ERROR");
    // Without a title it would pay for one.
    command.addAll(List.of("--title", Agent.SESSION));
    command.addAll(AgentProgram.model(model));
    return new Agent(
        name(),
        command,
        Agent.Variables.ofProvider(
            Set.of("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"),
            Set.of("OPENCODE_CONFIG"),
            Map.of(
                "OPENCODE_CONFIG_CONTENT",
                settings(tools),
                // The repository's settings, plugins, MCP servers and instructions stay unread.
                "OPENCODE_DISABLE_PROJECT_CONFIG",
                "1",
                "OPENCODE_DISABLE_CLAUDE_CODE",
                "1")),
        input,
        _ -> new Reader(model),
        Set.of(Trait.PAID),
        (fresh, earlier) -> Agent.inserted(fresh, List.of("--session", earlier)),
        null);
  }

  /** They override the user's: of its tools those that read, and nothing is sent elsewhere. */
  private static String settings(List<String> tools) {
    var permission = new LinkedHashMap<String, String>();
    permission.put("*", "deny");
    tools.forEach(each -> permission.put(each, "allow"));
    return RecordJson.write(
        Map.of(
            "permission", permission, "share", "disabled", "autoupdate", false, "snapshot", false));
  }

  /**
   * Reads {@code opencode run --format json}. A run is a row of steps, each with what it used; it
   * has answered when a step ends that calls no tool. A tool is reported when it is done.
   */
  static final class Reader extends JsonLinesReader {
    /** A call that failed and is repeated, without end, as it stands in its log. */
    private static final Pattern FAILED_CALL =
        Pattern.compile("message=\"stream error\".*? error\\.error=\"(.*)\"");

    private final @Nullable String model;
    private final StringBuilder step = new StringBuilder();
    private boolean named;

    /** Creates the reader of one session. */
    Reader(@Nullable String model) {
      this.model = model;
    }

    @Override
    public boolean err(String line) {
      Matcher failed = FAILED_CALL.matcher(line);
      if (!failed.find()) {
        return false;
      }
      spending.asked();
      transcript.blames(Fault.in(failed.group(1)));
      return true;
    }

    @Override
    @Nullable AgentAnswer explained(Exit exit, String stderrTail) {
      return !any && stderrTail.contains("Session not found")
          ? transcript.unknownSession("opencode")
          : null;
    }

    @Override
    void object(JsonNode node) {
      if (!named && node.path("sessionID").isTextual()) {
        named = true;
        say(new Identified(textOrNull(node, "sessionID"), model));
      }
      JsonNode part = node.path("part");
      switch (type(node)) {
        case "step_start" -> {
          worked();
          step.setLength(0);
          if (result != null) {
            say(new AgentSignal.Working());
          }
        }
        case "text" -> {
          String text = part.path("text").asText() + "\n";
          transcript.append(text);
          step.append(text, 0, Math.min(text.length(), Transcript.MAX_ANSWER - step.length()));
        }
        case "tool_use" -> {
          doing(part.path("tool").asText(), part.path("state").path("input"));
          tool(part.path("callID").asText(), true);
          tool(part.path("callID").asText(), false);
        }
        case "step_finish" -> finished(part);
        case "error" -> failed(node.path("error"));
        default -> {}
      }
    }

    private void finished(JsonNode part) {
      JsonNode tokens = part.path("tokens");
      JsonNode cache = tokens.path("cache");
      var used =
          new Usage(
              tokens(tokens.path("input")) + tokens(cache.path("write")),
              tokens(tokens.path("output")) + tokens(tokens.path("reasoning")),
              tokens(cache.path("read")),
              micros(part.path("cost")));
      Usage total = spending.add(used);
      spending.settled(used);
      if (part.path("reason").asText().equals("tool-calls")) {
        // The next request follows.
        spending.asked();
      } else {
        String said = step.toString().strip();
        took(
            said.isEmpty()
                ? transcript.blaming(Transcript.NO_OUTPUT, "no output: the last step has no text")
                : AgentAnswer.Complete.of(said, model));
      }
      say(total);
    }

    private void failed(JsonNode error) {
      String words = error.path("data").path("message").asText(error.path("name").asText("error"));
      int status = error.path("data").path("statusCode").asInt();
      took(transcript.error(status > 0 ? "status " + status + ": " + words : words));
    }
  }
}
