package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.contract.text.OneLine;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.AgentSignal.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code codex exec --json}. A session has no final line: it has answered when a turn was
 * completed, or when it ended well after its last message. An item of type {@code error} is a
 * warning, not a failure.
 */
final class CodexReader implements AgentReader {
  private static final Set<String> TOOLS =
      Set.of("command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search");

  /** What codex 0.169.0 writes to standard error when it is to resume a thread that it lacks. */
  private static final String UNKNOWN_THREAD = "no rollout found for thread id";

  /** What a command prints that its sandbox did not let run. */
  private static final Pattern SANDBOX =
      Pattern.compile(
          "\\bbwrap\\b|landlock|linux-sandbox|seccomp"
              + "|sandbox.{0,60}(?:denied|fail|error|not permitted|unavailable|refused)"
              + "|(?:denied|fail|error|not permitted).{0,60}sandbox",
          Pattern.CASE_INSENSITIVE);

  private static final int LOOKED_AT = 4096;

  private final @Nullable String model;
  private final Transcript transcript = new Transcript();
  private final UsageTotals spending = new UsageTotals();
  private final OpenTools tools = new OpenTools();
  private TokenCount before;
  private boolean began;
  private String message = "";
  private String complaint = "";
  private boolean messageIsLast;
  private int commands;
  private int commandsFailed;
  private boolean sandboxFailed;
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
    if (result instanceof AgentAnswer.Broken broken) {
      return transcript.broken(broken, stderrTail);
    }
    if (result != null) {
      return result;
    }
    if (exit.code() != 0 && !began && stderrTail.contains(UNKNOWN_THREAD)) {
      return new AgentAnswer.Broken(
          new Failure(Failure.Kind.TRANSIENT, Failure.UNKNOWN_SESSION),
          "codex does not know the session that it was to resume",
          "");
    }
    if (!began) {
      transcript.blames(Fault.ofProgram(exit.code(), exit.signal(), stderrTail));
    }
    if (exit.signalled()) {
      return transcript.killed(exit, stderrTail);
    }
    if (exit.code() != 0) {
      return transcript.broken(Transcript.EXIT, "exit " + exit.code(), stderrTail);
    }
    return messageIsLast && transcript.fault() == null
        ? answer()
        : transcript.broken(
            Transcript.NO_OUTPUT,
            message.isBlank() ? "no output" : "no completed turn",
            stderrTail);
  }

  @Override
  public AgentAnswer soFar() {
    return result != null ? result : transcript.unanswered();
  }

  /** A program that hangs after its last message has answered, and would do so again. */
  @Override
  public AgentAnswer afterSilence() {
    return result == null && messageIsLast && transcript.fault() == null ? answer() : soFar();
  }

  @Override
  public Reported reported() {
    return spending.reported(transcript.fault() != null);
  }

  private List<AgentSignal> object(JsonNode node) {
    began = true;
    return switch (StreamJson.type(node)) {
      case "turn.started" -> {
        spending.asked();
        yield workingOn();
      }
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
    if (type.equals("error")) {
      return List.of();
    }
    transcript.answeredAgain();
    spending.worked();
    if (TOOLS.contains(type)) {
      messageIsLast = false;
      if (done && type.equals("command_execution")) {
        command(item);
      }
      return List.of(done ? tools.end(id) : tools.begin(id));
    }
    if (done && type.equals("agent_message")) {
      message = item.path("text").asText();
      messageIsLast = !message.isBlank();
      transcript.append(message + "\n");
    }
    return List.of();
  }

  private void command(JsonNode item) {
    commands++;
    boolean failed =
        item.path("exit_code").isInt()
            ? item.path("exit_code").asInt() != 0
            : !item.path("status").asText().equals("completed");
    if (failed) {
      commandsFailed++;
      String output = item.path("aggregated_output").asText();
      sandboxFailed |= SANDBOX.matcher(OneLine.start(output, LOOKED_AT)).find();
    }
  }

  /** A further turn after its result: the answer so far stays. */
  private List<AgentSignal> workingOn() {
    return result == null ? List.of() : List.of(new AgentSignal.Working());
  }

  /** The last message, unless none of its commands could read anything. */
  private AgentAnswer answer() {
    return sandboxFailed && commandsFailed == commands
        ? new AgentAnswer.Broken(
            Fault.runner("agent-sandbox"),
            "agent sandbox: none of its "
                + commands
                + " commands ran; codex needs unprivileged user namespaces (bwrap) or Landlock"
                + " here",
            transcript.partial())
        : AnswerSchema.of(message, model);
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
      spending.settled(new Usage(more.input(), more.output(), more.cached(), 0));
      signals.add(spending.add(new Usage(more.input(), more.output(), more.cached(), 0)));
    }
    result =
        message.isBlank()
            ? transcript.blaming(
                transcript.fault(), Transcript.NO_OUTPUT, "no output: the turn has no message")
            : answer();
    signals.add(new AgentSignal.Result(result));
    return signals;
  }

  /**
   * Reads an error line. Codex retries by itself, without end while there is no network: the line
   * shows that it is alive, not that it makes progress. Only a failed turn is an end.
   */
  private List<AgentSignal> complained(String words) {
    complaint = words;
    transcript.blames(Fault.in(words));
    return List.of(new Waiting(words));
  }

  private List<AgentSignal> failed(String words) {
    transcript.blames(Fault.in(words));
    String reason = "agent error: " + (words.isBlank() ? "turn failed" : words);
    if (!(result instanceof AgentAnswer.Complete)) {
      result = transcript.blaming(transcript.fault(), Transcript.ERROR, AgentLine.of(reason));
    }
    return List.of(new AgentSignal.Result(result));
  }
}
