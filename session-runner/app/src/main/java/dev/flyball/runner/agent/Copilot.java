package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.Agent.Trait;
import dev.flyball.runner.agent.AgentProgram.AgentArguments;
import dev.flyball.runner.agent.AgentSignal.Identified;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.AgentSignal.Waiting;
import dev.flyball.runner.prompt.AgentInput;
import dev.flyball.runner.prompt.DeepPrompt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * GitHub's Copilot CLI, with a subscription or with any endpoint of one's own.
 *
 * @param model the value for {@code --model}; null for the program's choice
 */
public record Copilot(@Nullable String model) implements AgentProgram {
  /**
   * Runs it with a home in which no folder is trusted: it starts the hooks, MCP servers and plugins
   * of a repository that its user has trusted anywhere above. What it used, it writes only to a
   * file, and by renaming, so that no device will do. With TERM it stops and writes it too.
   */
  private static final String SCRIPT =
      """
      work=$(mktemp -d) && export COPILOT_HOME="{home}" || exit 1
      trap : TERM
      "$0" "$@" --usage-output-file "$work/usage"
      code=$?
      [ ! -f "$work/usage" ] ||
        printf '{"type":"usage","usage":%s}\\n' "$(tr -d '\\n' <"$work/usage")"
      rm -rf "$work"
      exit $code
      """;

  private static final long MICROS_OF_CREDIT = 10_000;

  /** It takes no lower limit, in credits. */
  private static final long LEAST_LIMIT = 30;

  @Override
  public Facts facts() {
    return new Facts(
        "copilot",
        "copilot",
        "npm install -g @github/copilot",
        "gpt-5.4",
        "gpt-5.4-mini",
        "copilot",
        new AgentArguments(Set.of("--reasoning-effort", "--context"), Set.of()));
  }

  @Override
  public Agent session(Setup setup) {
    String search = setup.tools().contains("Grep") ? ",grep" : "";
    return agent(
        setup.prompt(),
        "$HOME/.flyball/copilot",
        List.of("--session-id", Agent.SESSION, "--available-tools", "view,glob" + search),
        setup.budgetMicros());
  }

  @Override
  public Optional<Agent> oneAnswer(String schema, long budgetMicros) {
    // Without a name the list would allow all of its tools.
    return Optional.of(
        agent(DeepPrompt.BUNDLED, "$work", List.of("--available-tools", "none"), budgetMicros));
  }

  private Agent agent(AgentInput input, String home, List<String> own, long budgetMicros) {
    var command = new ArrayList<>(List.of("sh", "-c", SCRIPT.replace("{home}", home), name()));
    command.addAll(List.of("--output-format", "json", "--no-ask-user", "--no-auto-update"));
    // The words of the repository are no instructions; outside of it nothing is read.
    command.addAll(List.of("--no-custom-instructions", "--disallow-temp-dir"));
    command.addAll(List.of("--disable-builtin-mcps", "--no-remote", "--disable-client-telemetry"));
    command.addAll(own);
    command.addAll(AgentProgram.model(model));
    long credits = budgetMicros / MICROS_OF_CREDIT;
    if (credits >= LEAST_LIMIT) {
      command.addAll(List.of("--max-ai-credits", String.valueOf(credits)));
    }
    return new Agent(
        name(),
        command,
        Agent.Variables.ofProvider(
            Set.of(
                "COPILOT_GITHUB_TOKEN",
                "COPILOT_PROVIDER_API_KEY",
                "COPILOT_PROVIDER_BEARER_TOKEN",
                "COPILOT_PROVIDER_HEADERS"),
            Set.of(
                "COPILOT_OFFLINE",
                "COPILOT_PROVIDER_BASE_URL",
                "COPILOT_PROVIDER_TYPE",
                "COPILOT_PROVIDER_WIRE_API",
                "GH_HOST"),
            Map.of()),
        input,
        Reader::new,
        Set.of(Trait.PAID),
        Claude::resumed,
        null);
  }

  /** Reads its JSON lines, and the line in which the script puts what it used. */
  static final class Reader extends JsonLinesReader {
    private static final double NANOS_OF_MICRO = 100_000;

    private final TokenCount before;
    private boolean calling;
    private String last = "";
    private String complaint = "";
    private @Nullable String model;

    /** Creates the reader of one session. A resumed one reports the total of all. */
    Reader(TokenCount before) {
      this.before = before;
    }

    @Override
    @Nullable AgentAnswer explained(Exit exit, String stderrTail) {
      if (result != null || exit.code() == 0) {
        return null;
      }
      if (stderrTail.contains("No session, task, or name matched")) {
        return transcript.unknownSession("copilot");
      }
      boolean login = stderrTail.contains("No authentication information found");
      return login || stderrTail.contains("COPILOT_PROVIDER_BASE_URL")
          ? transcript.broken(
              Fault.runner(login ? "agent-login" : "agent-settings"), said(exit.code()), stderrTail)
          : null;
    }

    @Override
    void object(JsonNode node) {
      JsonNode data = node.path("data");
      switch (type(node)) {
        case "model.call_start" -> {
          spending.asked();
          calling = true;
          if (model == null) {
            model = textOrNull(data, "model");
            say(new Identified(null, model));
          }
        }
        case "model.call_finished" -> calling = false;
        case "model.call_failure" -> {
          // It repeats the call five times, which takes a minute.
          String said = data.path("errorMessage").asText();
          transcript.blames(Fault.ofCall(data.path("statusCode").asInt(), said));
          say(new Waiting());
        }
        case "session.error" -> {
          complaint = data.path("message").asText();
          String said = data.path("errorType").asText() + ": " + complaint;
          transcript.blames(Fault.ofCall(data.path("statusCode").asInt(), said));
        }
        case "assistant.message" -> message(data);
        case "tool.execution_start" -> {
          doing(data.path("toolName").asText(), data.path("arguments"));
          tool(data.path("toolCallId").asText(), true);
        }
        case "tool.execution_complete" -> tool(data.path("toolCallId").asText(), false);
        case "result" -> result(node);
        case "usage" -> used(node.path("usage"));
        default -> {}
      }
    }

    private void message(JsonNode data) {
      worked();
      String text = data.path("content").asText();
      transcript.append(text + "\n");
      // What comes with a call is no last message.
      last = data.path("toolRequests").isEmpty() ? text : "";
    }

    private void result(JsonNode node) {
      say(new Identified(textOrNull(node, "sessionId"), model));
      if (node.path("exitCode").asInt() != 0) {
        took(transcript.error(complaint));
      } else {
        took(
            last.isBlank()
                ? transcript.blaming(Transcript.NO_OUTPUT, "no output: no last message")
                : AgentAnswer.Complete.of(last, model));
      }
    }

    /** Takes the total of its models. A call that was cut off is not in it. */
    private void used(JsonNode node) {
      var total = TokenCount.NONE;
      for (JsonNode each : node.path("modelMetrics")) {
        total =
            total.plus(count(each.path("usage"), "inputTokens", "cacheReadTokens", "outputTokens"));
      }
      // How much of a resumed session's credits are new, it does not say.
      boolean known = before.none() && node.path("aiCreditsStatus").asText().equals("complete");
      long cost =
          known ? (long) Math.ceil(node.path("totalNanoAiu").asDouble() / NANOS_OF_MICRO) : 0;
      Usage used = Usage.of(total.since(before), cost);
      if (!calling) {
        spending.settled(used);
      }
      say(spending.atLeast(used));
    }
  }
}
