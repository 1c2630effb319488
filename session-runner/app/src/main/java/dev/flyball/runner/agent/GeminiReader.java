package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.runner.agent.AgentSignal.RateLimited;
import dev.flyball.runner.agent.AgentSignal.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads Gemini CLI's stream-json. The answer is what the assistant wrote after its last tool. */
final class GeminiReader implements AgentReader {
  private final Transcript transcript = new Transcript();
  private final UsageTotals spending = new UsageTotals();
  private final OpenTools tools = new OpenTools();
  private Transcript last = new Transcript();
  private @Nullable String model;
  private String complaint = "";
  private boolean any;
  private @Nullable AgentAnswer result;

  @Override
  public List<AgentSignal> line(String line) {
    transcript.heard(line);
    Optional<JsonNode> object = StreamJson.object(line);
    any |= object.isPresent();
    return object.map(this::object).orElse(List.of());
  }

  @Override
  public AgentAnswer end(Exit exit, String stderrTail) {
    if (exit.signalled()) {
      return transcript.killed(exit, stderrTail);
    }
    if (exit.code() != 0) {
      return result instanceof AgentAnswer.Broken broken
              && failure(exit.code()).equals(Transcript.EXIT)
          ? broken
          : transcript.broken(failure(exit.code()), words(exit.code()), stderrTail);
    }
    return result != null
        ? result
        : transcript.broken(
            Transcript.NO_OUTPUT, any ? "no output: no result line" : "no output", stderrTail);
  }

  @Override
  public AgentAnswer soFar() {
    return result != null ? result : transcript.unanswered();
  }

  private List<AgentSignal> object(JsonNode node) {
    return switch (StreamJson.type(node)) {
      case "init" -> {
        model = StreamJson.textOrNull(node, "model");
        yield List.of(new AgentSignal.Identified(StreamJson.textOrNull(node, "session_id"), model));
      }
      case "message" -> message(node);
      case "tool_use" -> {
        last = new Transcript();
        yield List.of(tools.begin(node.path("tool_id").asText()));
      }
      case "tool_result" -> List.of(tools.end(node.path("tool_id").asText()));
      case "error" -> complained(node);
      case "result" -> result(node);
      default -> List.of();
    };
  }

  private List<AgentSignal> message(JsonNode node) {
    if (node.path("role").asText().equals("assistant")) {
      String text = node.path("content").asText() + (node.path("delta").asBoolean() ? "" : "\n");
      transcript.append(text);
      last.append(text);
    }
    return List.of();
  }

  private List<AgentSignal> complained(JsonNode node) {
    String words = node.path("message").asText();
    if (!node.path("severity").asText().equals("warning")) {
      complaint = words;
    }
    return ProviderLimit.words(words) || ProviderLimit.exhausted(words)
        ? List.of(ProviderLimit.signal(words))
        : List.of();
  }

  private List<AgentSignal> result(JsonNode node) {
    var signals = new ArrayList<AgentSignal>(3);
    if (node.path("stats").isObject()) {
      signals.add(spending.atLeast(usage(node.path("stats"))));
    }
    if (node.path("status").asText().equals("success")) {
      result =
          last.partial().isBlank()
              ? new AgentAnswer.Broken(
                  Transcript.NO_OUTPUT, "no output: no message", transcript.partial())
              : AnswerSchema.of(last.partial(), model);
      signals.add(new RateLimited(false, "answered"));
    } else {
      String words = node.path("error").path("message").asText(complaint);
      result =
          new AgentAnswer.Broken(
              Transcript.ERROR, AgentLine.of("agent error: " + words), transcript.partial());
      signals.add(ProviderLimit.signal(words));
    }
    signals.add(new AgentSignal.Result(result));
    return signals;
  }

  private static Usage usage(JsonNode stats) {
    long cached = StreamJson.tokens(stats.path("cached"));
    long input = StreamJson.tokens(stats.path("input_tokens"));
    return new Usage(
        Math.max(0, input - cached), StreamJson.tokens(stats.path("output_tokens")), cached, 0);
  }

  private static Failure failure(int code) {
    return switch (code) {
      case 41 -> new Failure(Kind.PERMANENT, "authentication-failed");
      case 44 -> new Failure(Kind.PERMANENT, "agent-sandbox");
      case 52 -> new Failure(Kind.PERMANENT, "agent-configuration");
      case 55 -> new Failure(Kind.PERMANENT, "untrusted-folder");
      default -> Transcript.EXIT;
    };
  }

  private static String words(int code) {
    return switch (code) {
      case 41 -> "exit 41, not authenticated; set GEMINI_API_KEY or log in once";
      case 44 -> "exit 44, its sandbox does not work here";
      case 52 -> "exit 52, its configuration is wrong";
      case 55 ->
          "exit 55, the repository is no trusted folder; start gemini in it once and" + " trust it";
      case 42 -> "exit 42, it refused its input";
      case 53 -> "exit 53, its turn limit is reached";
      default -> "exit " + code;
    };
  }
}
