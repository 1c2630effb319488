package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.AgentSignal.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code codex exec --json}. A session has no final line: it has answered when a turn was
 * completed and the exit code is 0. An item of type {@code error} is a warning, not a failure.
 */
final class CodexReader implements AgentReader {
  private static final Set<String> TOOLS =
      Set.of("command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search");

  /** What codex 0.169.0 writes to standard error when it is to resume a thread that it lacks. */
  private static final String UNKNOWN_THREAD = "no rollout found for thread id";

  private final @Nullable String model;
  private final Transcript transcript = new Transcript();
  private final UsageTotals spending = new UsageTotals();
  private final OpenTools tools = new OpenTools();
  private TokenCount before;
  private boolean began;
  private String message = "";
  private String complaint = "";
  private @Nullable AgentAnswer result;

  /**
   * Creates the reader of one session.
   *
   * @param before what the thread had used already: codex reports the thread's total
   */
  CodexReader(@Nullable String model, TokenCount before) {
    this.model = model;
    this.before = before;
  }

  @Override
  public List<AgentSignal> line(String line) {
    transcript.heard(line);
    Optional<JsonNode> object = StreamJson.object(line);
    return object.map(this::object).orElse(List.of());
  }

  @Override
  public AgentAnswer end(Exit exit, String stderrTail) {
    if (exit.signalled()) {
      return transcript.killed(exit, stderrTail);
    }
    if (result instanceof AgentAnswer.Broken broken) {
      return broken;
    }
    if (exit.code() != 0 && !began && stderrTail.contains(UNKNOWN_THREAD)) {
      return new AgentAnswer.Broken(
          new Failure(Failure.Kind.TRANSIENT, Failure.UNKNOWN_SESSION),
          "codex does not know the session that it was to resume",
          "");
    }
    if (exit.code() != 0) {
      return transcript.broken(Transcript.EXIT, "exit " + exit.code(), stderrTail);
    }
    return result != null
        ? result
        : transcript.broken(
            Transcript.NO_OUTPUT,
            message.isBlank() ? "no output" : "no completed turn",
            stderrTail);
  }

  @Override
  public AgentAnswer soFar() {
    return result != null ? result : transcript.unanswered();
  }

  private List<AgentSignal> object(JsonNode node) {
    began = true;
    return switch (StreamJson.type(node)) {
      case "thread.started" ->
          List.of(new AgentSignal.Identified(StreamJson.textOrNull(node, "thread_id"), model));
      case "item.started" -> item(node.path("item"), false);
      case "item.completed" -> item(node.path("item"), true);
      case "turn.completed" -> completed(node.path("usage"));
      case "turn.failed" -> failed(node.path("error").path("message").asText(complaint));
      case "error" -> complained(node.path("message").asText());
      default -> List.of();
    };
  }

  private List<AgentSignal> item(JsonNode item, boolean done) {
    String type = StreamJson.type(item);
    String id = item.path("id").asText();
    if (TOOLS.contains(type)) {
      return List.of(done ? tools.end(id) : tools.begin(id));
    }
    if (done && type.equals("agent_message")) {
      message = item.path("text").asText();
      transcript.append(message + "\n");
    }
    return List.of();
  }

  private List<AgentSignal> completed(JsonNode usage) {
    var signals = new ArrayList<AgentSignal>(2);
    if (usage.isObject()) {
      long cached = StreamJson.tokens(usage.path("cached_input_tokens"));
      long input = StreamJson.tokens(usage.path("input_tokens"));
      var total =
          new TokenCount(
              Math.max(0, input - cached), cached, StreamJson.tokens(usage.path("output_tokens")));
      TokenCount more = total.since(before);
      before = total;
      signals.add(spending.add(new Usage(more.input(), more.output(), more.cached(), 0)));
    }
    result =
        message.isBlank()
            ? new AgentAnswer.Broken(
                Transcript.NO_OUTPUT, "no output: the turn has no message", transcript.partial())
            : AnswerSchema.of(message, model);
    signals.add(new AgentSignal.Result(result));
    return signals;
  }

  /**
   * Reads an error line. Codex retries by itself, without end while there is no network: the line
   * shows that it is alive, not that it makes progress. Only a failed turn is an end.
   */
  private List<AgentSignal> complained(String words) {
    complaint = words;
    return List.of(ProviderLimit.signal(words));
  }

  private List<AgentSignal> failed(String words) {
    result =
        new AgentAnswer.Broken(
            Transcript.ERROR,
            AgentLine.of("agent error: " + (words.isBlank() ? "turn failed" : words)),
            transcript.partial());
    var signals = new ArrayList<AgentSignal>(2);
    signals.add(ProviderLimit.signal(words));
    signals.add(new AgentSignal.Result(result));
    return signals;
  }
}
