package dev.flyball.triage.classify;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import java.util.List;
import java.util.Map;

/** The form of requests and answers of an endpoint that serves a model. */
public enum HttpDialect {
  /** The Messages API of Anthropic, with an answer by a tool that the model must use. */
  ANTHROPIC("/v1/messages", "x-api-key", "", "input_tokens", "output_tokens") {
    @Override
    Map<String, Object> body(String model, String prompt, JsonNode schema) {
      return Map.of(
          "model", model,
          "max_tokens", MOST_TOKENS,
          "messages", List.of(Map.of("role", "user", "content", prompt)),
          "tools", List.of(Map.of("name", ANSWER, "input_schema", schema)),
          "tool_choice", Map.of("type", "tool", "name", ANSWER));
    }

    @Override
    String text(JsonNode answer) throws ModelFailure {
      for (JsonNode block : answer.path("content")) {
        if (block.path("type").asText().equals("tool_use")) {
          return RecordJson.write(block.path("input"));
        }
      }
      throw none(answer.path("stop_reason").asText());
    }
  },
  /** Chat Completions of OpenAI, which servers of local models offer too. */
  OPENAI("/v1/chat/completions", "Authorization", "Bearer ", "prompt_tokens", "completion_tokens") {
    @Override
    Map<String, Object> body(String model, String prompt, JsonNode schema) {
      return Map.of(
          "model", model,
          "messages", List.of(Map.of("role", "user", "content", prompt)),
          "response_format",
              Map.of(
                  "type",
                  "json_schema",
                  "json_schema",
                  Map.of("name", ANSWER, "strict", true, "schema", schema)));
    }

    @Override
    String text(JsonNode answer) throws ModelFailure {
      JsonNode choice = answer.path("choices").path(0);
      JsonNode content = choice.path("message").path("content");
      if (!content.isTextual()) {
        throw none(choice.path("finish_reason").asText());
      }
      return content.asText();
    }
  };

  private static final int MOST_TOKENS = 16_000;
  private static final String ANSWER = "verdicts";

  final String path;
  final String tokenHeader;
  final String tokenPrefix;
  private final String input;
  private final String output;

  HttpDialect(String path, String tokenHeader, String tokenPrefix, String input, String output) {
    this.path = path;
    this.tokenHeader = tokenHeader;
    this.tokenPrefix = tokenPrefix;
    this.input = input;
    this.output = output;
  }

  /** The request; the schema as a tree. */
  abstract Map<String, Object> body(String model, String prompt, JsonNode schema);

  /** What the model wrote. */
  abstract String text(JsonNode answer) throws ModelFailure;

  long inputTokens(JsonNode answer) {
    return Math.max(0, answer.path("usage").path(input).asLong());
  }

  long outputTokens(JsonNode answer) {
    return Math.max(0, answer.path("usage").path(output).asLong());
  }

  private static ModelFailure none(String end) {
    return new ModelFailure(Kind.BAD_BATCH, "the model gave no verdicts: " + end, null, null);
  }
}
