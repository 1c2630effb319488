package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.runner.agent.AgentSignal.Identified;
import dev.flyball.runner.agent.AgentSignal.RateLimited;
import dev.flyball.runner.agent.AgentSignal.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
  private boolean refused;
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
    if (result != null) {
      return result;
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

  /** The result line's answer, null before it. */
  @Nullable AgentAnswer result() {
    return result;
  }

  /** The output so far, for the description of its end. */
  Transcript transcript() {
    return transcript;
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
        who =
            new Identified(
                StreamJson.textOrNull(node, "session_id"), StreamJson.textOrNull(node, "model"));
        yield List.of(who);
      }
      case "api_retry" -> {
        String error = node.path("error").asText("retry");
        if (ProviderLimit.exhausted(error)) {
          yield List.of(ProviderLimit.signal(error));
        }
        refused |=
            ProviderLimit.status(node.path("error_status").asInt()) || ProviderLimit.words(error);
        yield List.of(new RateLimited(refused, error));
      }
      default -> List.of();
    };
  }

  private List<AgentSignal> assistant(JsonNode node) {
    JsonNode message = node.path("message");
    if (message.path("model").asText().equals(SYNTHETIC)) {
      complaint = StreamJson.textOrNull(node, "error");
      return List.of();
    }
    var signals = new ArrayList<AgentSignal>(3);
    for (JsonNode part : message.path("content")) {
      switch (StreamJson.type(part)) {
        case "text" -> transcript.append(part.path("text").asText() + "\n");
        case "tool_use" -> signals.add(tools.begin(part.path("id").asText()));
        default -> {}
      }
    }
    if (message.path("usage").isObject() && message.path("id").isTextual()) {
      signals.add(spending.message(message.path("id").asText(), usage(message.path("usage"), 0)));
      if (refused) {
        refused = false;
        signals.add(new RateLimited(false, "answers again"));
      }
    }
    return signals;
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
    refused = info.path("status").asText().equals("rejected");
    String code = info.path("errorCode").asText();
    if (refused && ProviderLimit.exhausted(code)) {
      return List.of(ProviderLimit.signal(code));
    }
    return List.of(
        new RateLimited(
            refused,
            info.path("rateLimitType").asText("rate limit"),
            info.path("resetsAt").asLong(0)));
  }

  private List<AgentSignal> result(JsonNode node) {
    var signals = new ArrayList<AgentSignal>(3);
    if (ProviderLimit.status(node.path("api_error_status").asInt())) {
      refused = true;
      signals.add(new RateLimited(true, "api " + node.path("api_error_status").asInt()));
    }
    AgentAnswer answer = answer(node);
    if (answer instanceof AgentAnswer.Broken broken && ProviderLimit.exhausted(broken.reason())) {
      signals.add(ProviderLimit.signal(broken.reason()));
    }
    // A notification of a background task has a separate result, which does not answer the prompt.
    boolean aside = node.path("origin").path("kind").asText().equals("task-notification");
    if (!(aside && result instanceof AgentAnswer.Complete)) {
      result = answer;
    }
    signals.add(new AgentSignal.Result(result));
    // Usage follows the answer: an answer that went over its budget has been paid for, and is kept.
    if (node.path("usage").isObject() || node.has("total_cost_usd")) {
      signals.add(spending.atLeast(used(node)));
    }
    return signals;
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

  private AgentAnswer answer(JsonNode node) {
    // What the model wrote besides is an answer all the same.
    if (node.path("subtype").asText().equals(StreamJsonError.NO_MATCH)
        && !transcript.partial().isBlank()) {
      return AnswerSchema.of(transcript.partial(), model(node));
    }
    if (node.path("is_error").asBoolean() || node.path("subtype").asText().startsWith("error")) {
      return StreamJsonError.of(node, complaint, transcript.partial());
    }
    Optional<AgentAnswer.Complete> ours =
        AnswerSchema.structured(node.path("structured_output"), model(node))
            .or(() -> AnswerSchema.line(node, model(node)));
    if (ours.isPresent()) {
      return ours.get();
    }
    String text = node.path("result").asText();
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
}
