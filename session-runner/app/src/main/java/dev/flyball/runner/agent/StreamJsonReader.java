package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.text.OneLine;
import dev.flyball.runner.agent.AgentSignal.Identified;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.AgentSignal.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads stream-json as Claude Code prints it and as scout answers. Lines that are no JSON object
 * and unknown types mean nothing, because the format grows with every release.
 */
final class StreamJsonReader implements AgentReader {
  /** The model of an assistant's message that the program wrote itself, without the provider. */
  private static final String SYNTHETIC = "<synthetic>";

  private final Transcript transcript = new Transcript();
  private final UsageTotals spending = new UsageTotals();
  private final OpenTools tools = new OpenTools();
  private @Nullable Identified who;
  private @Nullable String complaint;
  private boolean any;
  private boolean worksOn;
  private String lastId = "";
  private final StringBuilder lastText = new StringBuilder();
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
    if (result instanceof AgentAnswer.Broken broken) {
      return transcript.broken(broken, stderrTail);
    }
    if (result != null) {
      return result;
    }
    if (!any) {
      transcript.blames(Fault.ofProgram(exit.code(), exit.signal(), stderrTail));
    }
    if (exit.signalled()) {
      return transcript.killed(exit, stderrTail);
    }
    if (exit.code() != 0) {
      return transcript.broken(Transcript.EXIT, "exit " + exit.code(), stderrTail);
    }
    return transcript.broken(
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
      case "system" -> system(node);
      case "assistant" -> assistant(node);
      case "user" -> user(node);
      case "rate_limit_event" -> limited(node.path("rate_limit_info"));
      case "result" -> result(node);
      default -> List.of();
    };
  }

  /** Hooks and plugins may print before the init line. */
  private List<AgentSignal> system(JsonNode node) {
    return switch (node.path("subtype").asText()) {
      case "init" -> {
        // The next thing that it does is a request.
        spending.asked();
        who =
            new Identified(
                StreamJson.textOrNull(node, "session_id"), StreamJson.textOrNull(node, "model"));
        yield List.of(who);
      }
      case "api_retry" -> {
        String error = node.path("error").asText("retry");
        int status = node.path("error_status").asInt();
        Optional<Fault> shown = Fault.ofClaude(error, status, error);
        // Without a status there was no response, whatever the program calls that.
        boolean unreached = shown.isEmpty() && node.path("error_status").isNull();
        transcript.blames(unreached ? Fault.in("connection failed") : shown);
        yield List.of(new Waiting(error));
      }
      default -> List.of();
    };
  }

  private List<AgentSignal> assistant(JsonNode node) {
    JsonNode message = node.path("message");
    String error = StreamJson.textOrNull(node, "error");
    if (error != null || message.path("model").asText().equals(SYNTHETIC)) {
      complaint = error;
      if (error != null) {
        String said = message.path("content").path(0).path("text").asText();
        transcript.blames(Fault.ofClaude(error, node.path("api_error_status").asInt(), said));
      }
      return List.of();
    }
    complaint = null;
    transcript.answeredAgain();
    spending.worked();
    var signals = new ArrayList<AgentSignal>(3);
    if (result != null && !worksOn) {
      worksOn = true;
      signals.add(new AgentSignal.Working());
    }
    boolean own = !node.path("parent_tool_use_id").isTextual();
    for (JsonNode part : message.path("content")) {
      switch (StreamJson.type(part)) {
        case "text" -> {
          transcript.append(part.path("text").asText() + "\n");
          if (own) {
            last(message.path("id").asText(), part.path("text").asText());
          }
        }
        case "tool_use" -> {
          // What comes with a call is no last message.
          last("", "");
          signals.add(tools.begin(part.path("id").asText()));
        }
        default -> {}
      }
    }
    if (message.path("usage").isObject() && message.path("id").isTextual()) {
      signals.add(spending.message(message.path("id").asText(), usage(message.path("usage"), 0)));
    }
    return signals;
  }

  /** Keeps the text of the last message, which comes in several parts with one id. */
  private void last(String id, String text) {
    if (id.isEmpty() || !id.equals(lastId)) {
      lastId = AgentLine.of(id);
      lastText.setLength(0);
    }
    lastText.append(text, 0, Math.min(text.length(), MAX_ANSWER - lastText.length()));
  }

  private List<AgentSignal> user(JsonNode node) {
    var signals = new ArrayList<AgentSignal>(1);
    for (JsonNode part : node.path("message").path("content")) {
      if (StreamJson.type(part).equals("tool_result")) {
        signals.add(tools.end(part.path("tool_use_id").asText()));
      }
    }
    return signals;
  }

  private List<AgentSignal> limited(JsonNode info) {
    String type = info.path("rateLimitType").asText("rate limit");
    if (info.path("status").asText().equals("rejected")) {
      String code = info.path("errorCode").asText();
      Fault limit = Fault.limit(info.path("resetsAt").asLong(0), type);
      Optional<Fault> empty =
          Fault.in(code).filter(it -> it.failure().code().equals(Fault.EXHAUSTED));
      transcript.blames(empty.or(() -> Optional.of(ofModel(type) ? limit.ofModel() : limit)));
    } else {
      transcript.answeredAgain();
    }
    return List.of(new Waiting(type));
  }

  /** A weekly limit that only the sessions of one model meet. */
  private static boolean ofModel(String type) {
    return type.equals("seven_day_opus") || type.equals("seven_day_sonnet");
  }

  private List<AgentSignal> result(JsonNode node) {
    var signals = new ArrayList<AgentSignal>(3);
    boolean reported = node.path("usage").isObject() || node.has("total_cost_usd");
    Usage used = used(node);
    Usage total = spending.atLeast(used);
    if (!aside(node)) {
      AgentAnswer answer = answer(node, node.path("usage").isObject() && total.tokens() == 0);
      // The first answer stays: an error after it, or nothing, is no answer to the prompt.
      if (!(result instanceof AgentAnswer.Complete) || answer instanceof AgentAnswer.Complete) {
        result = answer;
      }
    }
    if (result != null) {
      worksOn = false;
      signals.add(new AgentSignal.Result(result));
    }
    // Usage follows the answer: an answer that went over its budget has been paid for, and is kept.
    if (reported) {
      spending.settled(used);
      signals.add(total);
    }
    return signals;
  }

  /**
   * Whether a result does not answer the prompt: a notification of a background task has a separate
   * result, and so has what the program does without a turn.
   */
  private boolean aside(JsonNode node) {
    boolean silent =
        node.path("num_turns").isInt()
            && node.path("num_turns").asInt() == 0
            && !node.path("is_error").asBoolean()
            && (result != null || node.path("result").asText().isBlank())
            && !node.path("structured_output").isObject();
    return silent || node.path("origin").path("kind").asText().equals("task-notification");
  }

  /**
   * Returns the usage by model, because only those figures include the subagents. Without them it
   * returns the session's own usage.
   */
  private static Usage used(JsonNode node) {
    long input = 0;
    long output = 0;
    long cached = 0;
    for (JsonNode model : node.path("modelUsage")) {
      input +=
          StreamJson.tokens(model.path("inputTokens"))
              + StreamJson.tokens(model.path("cacheCreationInputTokens"));
      output += StreamJson.tokens(model.path("outputTokens"));
      cached += StreamJson.tokens(model.path("cacheReadInputTokens"));
    }
    long cost = StreamJson.micros(node.path("total_cost_usd"));
    return input + output + cached > 0
        ? new Usage(input, output, cached, cost)
        : usage(node.path("usage"), cost);
  }

  private static Usage usage(JsonNode usage, long costMicros) {
    return new Usage(
        StreamJson.tokens(usage.path("input_tokens"))
            + StreamJson.tokens(usage.path("cache_creation_input_tokens")),
        StreamJson.tokens(usage.path("output_tokens")),
        StreamJson.tokens(usage.path("cache_read_input_tokens")),
        costMicros);
  }

  /**
   * Reads the answer of a result.
   *
   * @param unused whether it reports that no token was used, so that no model can have answered
   */
  private AgentAnswer answer(JsonNode node, boolean unused) {
    // What the model wrote besides is an answer all the same.
    if (node.path("subtype").asText().equals(StreamJsonError.NO_MATCH)
        && !transcript.partial().isBlank()) {
      return AnswerSchema.of(transcript.partial(), model(node));
    }
    if (node.path("is_error").asBoolean() || node.path("subtype").asText().startsWith("error")) {
      return StreamJsonError.of(node, complaint, transcript);
    }
    Optional<AgentAnswer.Complete> ours =
        AnswerSchema.structured(node.path("structured_output"), model(node))
            .or(() -> AnswerSchema.line(node, model(node)));
    if (ours.isPresent()) {
      return ours.get();
    }
    String text = node.path("result").asText().strip();
    // A rejection may come as a success: what an error of the program said last, or no model.
    boolean complained = complaint != null || unused;
    if (complained && (transcript.fault() != null || (unused && Fault.in(text).isPresent()))) {
      return StreamJsonError.of(node, complaint, transcript);
    }
    String last = lastText.toString().strip();
    if (last.startsWith(text)) {
      text = last;
    }
    return text.isBlank()
        ? new AgentAnswer.Broken(
            Transcript.NO_OUTPUT,
            "no output: the result line has no text" + StreamJsonError.denials(node),
            transcript.partial())
        : AnswerSchema.of(text, model(node));
  }

  /** The model that the init line named; else the first model that was paid for. */
  private @Nullable String model(JsonNode node) {
    if (who != null && who.model() != null) {
      return who.model();
    }
    var names = node.path("modelUsage").fieldNames();
    return names.hasNext() ? names.next() : null;
  }

  /** A result line that is an error; a subtype {@code success} can be one too. */
  private static final class StreamJsonError {
    /** The model never answered in the form of the schema, although it was asked several times. */
    static final String NO_MATCH = "error_max_structured_output_retries";

    /** Ends that the session itself brought about. Only known kinds become codes. */
    private static final Map<String, Failure> OF_SESSION =
        Map.of(
            // A retry would spend the same once more.
            "error_max_budget_usd",
            new Failure(Kind.PERMANENT, "session-budget"),
            "error_max_turns",
            Transcript.ERROR,
            NO_MATCH,
            new Failure(Kind.TRANSIENT, "no-structured-answer"));

    private static final int MOST_TOOLS = 10;
    private static final int LONGEST_TOOL = 64;

    private StreamJsonError() {}

    /**
     * Classifies the agent's error.
     *
     * @param complaint the kind of error that an assistant's message named before, if one did
     * @param transcript the answer so far, and what errors before it show
     */
    static AgentAnswer.Broken of(
        JsonNode result, @Nullable String complaint, Transcript transcript) {
      String kind = OneLine.start(result.path("subtype").asText("error"), LONGEST_TOOL);
      String terminal = result.path("terminal_reason").asText();
      if (terminal.equals("prompt_too_long")) {
        return new AgentAnswer.Broken(
            new Failure(Kind.POISON, Failure.PROMPT_TOO_LONG),
            "prompt too long for the model",
            transcript.partial());
      }
      if (result.path("num_turns").asInt(1) == 0 && unknownSession(result)) {
        return new AgentAnswer.Broken(
            new Failure(Kind.TRANSIENT, Failure.UNKNOWN_SESSION),
            "claude does not know the session that it was to resume",
            transcript.partial());
      }
      String named = kind;
      if (kind.equals("success")) {
        named = complaint != null ? complaint : terminal.isBlank() ? "error" : terminal;
      }
      int status = result.path("api_error_status").asInt();
      String said = result.path("errors").path(0).asText(result.path("result").asText());
      String reason =
          AgentLine.of(
              "agent error "
                  + named
                  + (status > 0 ? " " + status : "")
                  + (said.isBlank() ? "" : ": " + said)
                  + denials(result));
      Failure own = OF_SESSION.get(kind);
      if (own != null) {
        return new AgentAnswer.Broken(own, reason, transcript.partial());
      }
      transcript.blames(Fault.ofClaude(complaint == null ? "" : complaint, status, said));
      return transcript.blaming(transcript.fault(), Transcript.ERROR, reason);
    }

    /** Claude Code prints this as its only line when it is to resume a session that it lacks. */
    private static boolean unknownSession(JsonNode result) {
      return result.path("errors").path(0).asText().startsWith("No conversation found");
    }

    /**
     * Names the tools that were denied, since an agent that may not do its work fails for that
     * reason.
     */
    static String denials(JsonNode result) {
      JsonNode denied = result.path("permission_denials");
      if (denied.isEmpty()) {
        return "";
      }
      var tools = new TreeSet<String>();
      denied.forEach(
          each -> tools.add(AgentLine.of(each.path("tool_name").asText("?"), LONGEST_TOOL)));
      String more =
          tools.size() > MOST_TOOLS ? " and " + (tools.size() - MOST_TOOLS) + " more" : "";
      return "; "
          + denied.size()
          + " tool calls denied: "
          + tools.stream().limit(MOST_TOOLS).collect(Collectors.joining(", "))
          + more;
    }
  }
}
