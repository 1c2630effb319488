package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.runner.agent.Agent.Trait;
import dev.flyball.runner.agent.AgentProgram.AgentArguments;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.AgentSignal.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gemini CLI without a terminal, which makes it headless. It reports tokens but no cost, so a
 * session is booked with its whole reserve. It has no flag that removes every tool, but its flags
 * deny each that would ask.
 *
 * @param model the value for {@code --model}; null for the program's choice
 */
public record Gemini(@Nullable String model) implements AgentProgram {
  @Override
  public Facts facts() {
    return new Facts(
        "gemini",
        "gemini",
        "npm install -g @google/gemini-cli",
        // The provider keeps these names for the newest model of that size.
        "flash",
        "flash-lite",
        "google",
        new AgentArguments(Set.of(), Set.of("--sandbox", "--debug")));
  }

  @Override
  public Agent session(Setup setup) {
    var command = new ArrayList<String>();
    // In this mode a tool that would ask is denied. In an untrusted workspace it exits with 55. The
    // user decides whether to trust a workspace, so no flag here does.
    command.addAll(List.of(name(), "-o", "stream-json", "--approval-mode", "default"));
    // Names that do not exist: no MCP server of the repository and no extension starts.
    command.addAll(List.of("--allowed-mcp-server-names", "none", "--extensions", "none"));
    command.addAll(AgentProgram.model(model));
    return new Agent(
        name(),
        command,
        Agent.Variables.ofProvider(
            Set.of("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT"),
            Set.of(
                "GOOGLE_CLOUD_LOCATION",
                "GOOGLE_GENAI_USE_VERTEXAI",
                "GOOGLE_APPLICATION_CREDENTIALS"),
            Map.of()),
        setup.prompt(),
        _ -> new Reader(),
        Set.of(Trait.PAID),
        null,
        null);
  }

  /** Reads Gemini CLI's stream-json. The answer is what the assistant wrote after its last tool. */
  static final class Reader extends JsonLinesReader {
    /** How it begins a message that it wrote itself, because a call failed. */
    private static final String OWN_ERROR = "[API Error";

    /** What its exit codes mean, where they say more than that it failed. */
    private static final Map<Integer, Failure> OF_EXIT =
        Map.of(
            41, Fault.runner("agent-login"),
            44, Fault.runner("agent-sandbox"),
            52, Fault.runner("agent-settings"),
            // A folder that the user has not trusted.
            55, Fault.runner("agent-settings"));

    private Transcript last = new Transcript(true);
    private @Nullable String model;
    private String complaint = "";

    @Override
    @Nullable AgentAnswer explained(Exit exit, String stderrTail) {
      Failure known = OF_EXIT.get(exit.code());
      return known == null ? null : transcript.broken(known, said(exit.code()), stderrTail);
    }

    @Override
    void object(JsonNode node) {
      switch (type(node)) {
        case "init" -> {
          // The next thing that it does is a request.
          spending.asked();
          model = textOrNull(node, "model");
          say(new AgentSignal.Identified(textOrNull(node, "session_id"), model));
        }
        case "message" -> message(node);
        case "tool_use" -> {
          last = new Transcript(true);
          worked();
          doing(node.path("tool_name").asText(), node.path("parameters"));
          tool(node.path("tool_id").asText(), true);
        }
        case "tool_result" -> tool(node.path("tool_id").asText(), false);
        case "error" -> complained(node);
        case "result" -> result(node);
        default -> {}
      }
    }

    private void message(JsonNode node) {
      if (!node.path("role").asText().equals("assistant")) {
        return;
      }
      String text = node.path("content").asText() + (node.path("delta").asBoolean() ? "" : "\n");
      last.append(text);
      if (!last.partial().startsWith(OWN_ERROR)) {
        transcript.append(text);
        worked();
      }
      if (result != null) {
        say(new AgentSignal.Working());
      }
    }

    private void complained(JsonNode node) {
      String words = node.path("message").asText();
      Optional<Fault> shown = Fault.in(words);
      if (!node.path("severity").asText().equals("warning")) {
        complaint = words;
        transcript.blames(shown);
      }
      if (shown.isPresent()) {
        say(new Waiting());
      }
    }

    private void result(JsonNode node) {
      Usage used =
          Usage.of(count(node.path("stats"), "input_tokens", "cached", "output_tokens"), 0);
      if (node.path("stats").isObject()) {
        spending.settled(used);
        say(spending.atLeast(used));
      }
      took(answer(node, node.path("stats").isObject() && used.tokens() == 0));
    }

    private AgentAnswer answer(JsonNode node, boolean unused) {
      String said = last.partial();
      if (!node.path("status").asText().equals("success")) {
        return transcript.error(node.path("error").path("message").asText(complaint));
      }
      if ((unused || said.startsWith(OWN_ERROR)) && Fault.in(said).isPresent()) {
        return transcript.error(said);
      }
      return said.isBlank()
          ? transcript.blaming(Transcript.NO_OUTPUT, "no output: no message")
          : AgentAnswer.Complete.of(said, model);
    }

    @Override
    String said(int code) {
      return switch (code) {
        case 41 -> "exit 41, not authenticated; set GEMINI_API_KEY or log in once";
        case 44 -> "exit 44, its sandbox does not work here";
        case 52 -> "exit 52, its configuration is wrong";
        case 55 ->
            "exit 55, the repository is no trusted folder; start gemini in it once and trust it";
        case 42 -> "exit 42, it refused its input";
        case 53 -> "exit 53, its turn limit is reached";
        default -> "exit " + code;
      };
    }
  }
}
