package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.AgentSignal.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads Gemini CLI's stream-json. The answer is what the assistant wrote after its last tool. */
final class GeminiReader implements AgentReader {
  /** How it begins a message that it wrote itself, because a call failed. */
  private static final String OWN_ERROR = "[API Error";

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
    if (result instanceof AgentAnswer.Complete) {
      return result;
    }
    Failure known = failure(exit.code());
    if (known != null) {
      return transcript.broken(known, words(exit.code()), stderrTail);
    }
    if (result instanceof AgentAnswer.Broken broken) {
      return transcript.broken(broken, stderrTail);
    }
    if (!any) {
      transcript.blames(Fault.ofProgram(exit.code(), exit.signal(), stderrTail));
    }
    if (exit.signalled()) {
      return transcript.killed(exit, stderrTail);
    }
    return exit.code() != 0
        ? transcript.broken(Transcript.EXIT, words(exit.code()), stderrTail)
        : transcript.broken(
            Transcript.NO_OUTPUT, any ? "no output: no result line" : "no output", stderrTail);
  }

  @Override
  public AgentAnswer soFar() {
    return result != null ? result : transcript.unanswered();
  }

  @Override
  public Reported reported() {
    return spending.reported(transcript.fault() != null);
  }

  private List<AgentSignal> object(JsonNode node) {
    return switch (StreamJson.type(node)) {
      case "init" -> {
        // The next thing that it does is a request.
        spending.asked();
        model = StreamJson.textOrNull(node, "model");
        yield List.of(new AgentSignal.Identified(StreamJson.textOrNull(node, "session_id"), model));
      }
      case "message" -> message(node);
      case "tool_use" -> {
        last = new Transcript();
        worked();
        yield List.of(tools.begin(node.path("tool_id").asText()));
      }
      case "tool_result" -> List.of(tools.end(node.path("tool_id").asText()));
      case "error" -> complained(node);
      case "result" -> result(node);
      default -> List.of();
    };
  }

  private List<AgentSignal> message(JsonNode node) {
    if (!node.path("role").asText().equals("assistant")) {
      return List.of();
    }
    String text = node.path("content").asText() + (node.path("delta").asBoolean() ? "" : "\n");
    last.append(text);
    if (!last.partial().startsWith(OWN_ERROR)) {
      transcript.append(text);
      worked();
    }
    return result == null ? List.of() : List.of(new AgentSignal.Working());
  }

  private void worked() {
    transcript.answeredAgain();
    spending.worked();
  }

  private List<AgentSignal> complained(JsonNode node) {
    String words = node.path("message").asText();
    Optional<Fault> shown = Fault.in(words);
    if (!node.path("severity").asText().equals("warning")) {
      complaint = words;
      transcript.blames(shown);
    }
    return shown.isPresent() ? List.of(new Waiting(words)) : List.of();
  }

  private List<AgentSignal> result(JsonNode node) {
    var signals = new ArrayList<AgentSignal>(3);
    Usage used = usage(node.path("stats"));
    if (node.path("stats").isObject()) {
      spending.settled(used);
      signals.add(spending.atLeast(used));
    }
    if (!(result instanceof AgentAnswer.Complete)) {
      result = answer(node, node.path("stats").isObject() && used.tokens() == 0);
    }
    signals.add(new AgentSignal.Result(result));
    return signals;
  }

  private AgentAnswer answer(JsonNode node, boolean unused) {
    String said = last.partial();
    if (!node.path("status").asText().equals("success")) {
      String words = node.path("error").path("message").asText(complaint);
      transcript.blames(Fault.in(words));
      return transcript.blaming(
          transcript.fault(), Transcript.ERROR, AgentLine.of("agent error: " + words));
    }
    boolean rejected = (unused || said.startsWith(OWN_ERROR)) && Fault.in(said).isPresent();
    if (rejected) {
      transcript.blames(Fault.in(said));
      return transcript.blaming(
          transcript.fault(), Transcript.ERROR, AgentLine.of("agent error: " + said));
    }
    return said.isBlank()
        ? transcript.blaming(transcript.fault(), Transcript.NO_OUTPUT, "no output: no message")
        : AnswerSchema.of(said, model);
  }

  private static Usage usage(JsonNode stats) {
    long cached = StreamJson.tokens(stats.path("cached"));
    long input = StreamJson.tokens(stats.path("input_tokens"));
    return new Usage(
        Math.max(0, input - cached), StreamJson.tokens(stats.path("output_tokens")), cached, 0);
  }

  /** What one of its exit codes means; null if it says nothing more. */
  private static @Nullable Failure failure(int code) {
    return switch (code) {
      case 41 -> Fault.runner("agent-login");
      case 44 -> Fault.runner("agent-sandbox");
      // Its settings, and a folder that the user has not trusted.
      case 52, 55 -> Fault.runner("agent-settings");
      default -> null;
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
