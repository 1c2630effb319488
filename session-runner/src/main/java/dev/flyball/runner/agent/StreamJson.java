package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.session.Analysis.Passage;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads stream-json: one JSON object with a {@code type} on each line, as Claude Code prints it and
 * as scout answers. Lines that are no such object and types that are unknown mean nothing.
 */
final class StreamJson {
  private static final int MAX_PASSAGES = 200;
  private static final int MAX_PATH = 1024;

  /** All excerpts together: with the answer they must fit into a record of a megabyte. */
  private static final int MAX_EXCERPTS = 128 * 1024;

  /** Figures beyond these are nonsense, and sums of them must not overflow. */
  private static final long MAX_USD = 1_000_000;

  private static final long MAX_TOKENS = 1_000_000_000_000L;

  private StreamJson() {}

  /** The line as an object with a {@code type}, empty if it is none. */
  static Optional<JsonNode> object(String line) {
    if (!line.startsWith("{")) {
      return Optional.empty();
    }
    try {
      JsonNode node = RecordJson.parse(line);
      return node.isObject() && node.path("type").isTextual()
          ? Optional.of(node)
          : Optional.empty();
    } catch (UnreadableRecord e) {
      return Optional.empty();
    }
  }

  /** What one object means. */
  static List<AgentSignal> signals(JsonNode node) {
    return switch (node.path("type").asText()) {
      case "system" -> system(node);
      case "assistant" -> toolUse(node) ? List.of(new AgentSignal.ToolRunning(true)) : List.of();
      case "user" -> toolResult(node) ? List.of(new AgentSignal.ToolRunning(false)) : List.of();
      case "rate_limit_event" -> rateLimit(node.path("rate_limit_info"));
      case "result" -> result(node);
      default -> List.of();
    };
  }

  /** The text that an assistant's message carries, for a partial answer. */
  static String text(JsonNode node) {
    var text = new StringBuilder();
    if (node.path("type").asText().equals("assistant")) {
      for (JsonNode part : node.path("message").path("content")) {
        if (part.path("type").asText().equals("text")) {
          text.append(part.path("text").asText()).append('\n');
        }
      }
    }
    return text.toString();
  }

  private static List<AgentSignal> system(JsonNode node) {
    return switch (node.path("subtype").asText()) {
      case "init" ->
          List.of(
              new AgentSignal.Identified(
                  textOrNull(node, "session_id"), textOrNull(node, "model")));
      case "api_retry" ->
          List.of(new AgentSignal.RateLimited(false, node.path("error").asText("retry")));
      default -> List.of();
    };
  }

  private static boolean toolUse(JsonNode node) {
    return hasPart(node, "tool_use") || hasPart(node, "server_tool_use");
  }

  private static boolean toolResult(JsonNode node) {
    return hasPart(node, "tool_result");
  }

  private static boolean hasPart(JsonNode node, String type) {
    for (JsonNode part : node.path("message").path("content")) {
      if (part.path("type").asText().equals(type)) {
        return true;
      }
    }
    return false;
  }

  private static List<AgentSignal> rateLimit(JsonNode info) {
    boolean rejected = info.path("status").asText().equals("rejected");
    return List.of(
        new AgentSignal.RateLimited(rejected, info.path("rateLimitType").asText("rate limit")));
  }

  private static List<AgentSignal> result(JsonNode node) {
    var signals = new ArrayList<AgentSignal>(2);
    JsonNode usage = node.path("usage");
    if (usage.isObject() || node.has("total_cost_usd")) {
      signals.add(
          new AgentSignal.Usage(
              tokens(usage.path("input_tokens"))
                  + tokens(usage.path("cache_creation_input_tokens")),
              tokens(usage.path("output_tokens")),
              tokens(usage.path("cache_read_input_tokens")),
              micros(node.path("total_cost_usd"))));
    }
    signals.add(new AgentSignal.Result(answer(node)));
    return signals;
  }

  private static AgentAnswer answer(JsonNode node) {
    String text = node.has("text") ? node.path("text").asText() : node.path("result").asText();
    int status = node.path("api_error_status").asInt();
    if (node.path("is_error").asBoolean() || node.path("subtype").asText().startsWith("error")) {
      JsonNode errors = node.path("errors");
      String detail = errors.isEmpty() ? text : errors.get(0).asText();
      String kind = node.path("subtype").asText("error");
      return new AgentAnswer.Broken(
          OneLine.of(
              "agent error "
                  + kind
                  + (status > 0 ? " " + status : "")
                  + (detail.isBlank() ? "" : ": " + detail)),
          node.path("subtype").asText().equals("success") ? "" : OneLine.bounded(text));
    }
    if (text.isBlank()) {
      return new AgentAnswer.Broken("no output: the result line has no text", "");
    }
    return new AgentAnswer.Complete(
        OneLine.bounded(text),
        passages(node.path("files")),
        textOrNull(node, "commit"),
        textOrNull(node, "model"));
  }

  private static List<Passage> passages(JsonNode files) {
    var passages = new ArrayList<Passage>();
    int room = MAX_EXCERPTS;
    for (JsonNode file : files) {
      if (passages.size() < MAX_PASSAGES && file.path("path").isTextual()) {
        String excerpt = start(file.path("excerpt").asText(), room);
        room -= excerpt.length();
        passages.add(
            new Passage(
                start(file.path("path").asText(), MAX_PATH),
                file.path("fromLine").asInt(1),
                file.path("toLine").asInt(1),
                excerpt));
      }
    }
    return passages;
  }

  private static long micros(JsonNode usd) {
    double value = usd.isNumber() ? usd.asDouble() : 0;
    if (!(value > 0)) {
      return 0;
    }
    if (value > MAX_USD) {
      return MAX_USD * 1_000_000;
    }
    return new BigDecimal(usd.asText())
        .movePointRight(6)
        .setScale(0, RoundingMode.CEILING)
        .longValue();
  }

  private static long tokens(JsonNode count) {
    return Math.clamp(count.asLong(), 0, MAX_TOKENS);
  }

  private static String start(String text, int length) {
    return text.length() <= length ? text : text.substring(0, length);
  }

  private static @Nullable String textOrNull(JsonNode node, String name) {
    return node.path(name).isTextual() ? node.path(name).asText() : null;
  }
}
