package dev.flyball.program.classifier;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.runner.agent.AgentSignal.Usage;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The form of requests and answers of an endpoint that serves a model. */
public enum ModelApi {
  /** The Messages API of Anthropic, with an answer by a tool that the model must use. */
  MESSAGES("https://api.anthropic.com", "ANTHROPIC_API_KEY") {
    @Override
    URI endpoint(URI base) {
      return URI.create(base + (base.getRawPath().endsWith("/v1") ? "" : "/v1") + "/messages");
    }

    @Override
    Map<String, String> login(String token) {
      return Map.of("x-api-key", token);
    }

    @Override
    Map<String, String> headers() {
      return Map.of("anthropic-version", "2023-06-01");
    }

    @Override
    Map<String, Object> body(String model, String prompt, String schema) {
      return Map.of(
          "model",
          model,
          "max_tokens",
          MOST_TOKENS,
          "messages",
          List.of(Map.of("role", "user", "content", prompt)),
          "tools",
          List.of(Map.of("name", ANSWER, "input_schema", RecordJson.parse(schema))),
          "tool_choice",
          Map.of("type", "tool", "name", ANSWER));
    }

    @Override
    Optional<String> text(JsonNode answer) {
      for (JsonNode block : answer.path("content")) {
        if (block.path("type").asText().equals("tool_use")) {
          return Optional.of(RecordJson.write(block.path("input")));
        }
      }
      return Optional.empty();
    }

    @Override
    String end(JsonNode answer) {
      return answer.path("stop_reason").asText();
    }

    @Override
    Usage used(JsonNode usage) {
      return new Usage(
          usage.path("input_tokens").asLong() + usage.path("cache_creation_input_tokens").asLong(),
          usage.path("output_tokens").asLong(),
          usage.path("cache_read_input_tokens").asLong(),
          0);
    }
  },
  /** Chat Completions of OpenAI, which servers of local models offer too. */
  CHAT("https://api.openai.com", "OPENAI_API_KEY") {
    @Override
    URI endpoint(URI base) {
      return URI.create(base + (base.getRawPath().isEmpty() ? "/v1" : "") + "/chat/completions");
    }

    @Override
    Map<String, String> login(String token) {
      return Map.of("Authorization", "Bearer " + token);
    }

    @Override
    Map<String, String> headers() {
      return Map.of();
    }

    @Override
    Map<String, Object> body(String model, String prompt, String schema) {
      // Some servers ignore a schema that is no part of the prompt.
      String asked = SchemaInPrompt.asked(prompt, schema);
      return Map.of(
          "model",
          model,
          "messages",
          List.of(Map.of("role", "user", "content", asked)),
          "response_format",
          Map.of(
              "type",
              "json_schema",
              "json_schema",
              Map.of("name", ANSWER, "strict", true, "schema", RecordJson.parse(schema))));
    }

    @Override
    Optional<String> text(JsonNode answer) {
      JsonNode content = answer.at("/choices/0/message/content");
      return content.isTextual()
          ? Optional.of(SchemaInPrompt.object(content.asText()))
          : Optional.empty();
    }

    @Override
    String end(JsonNode answer) {
      return answer.at("/choices/0/finish_reason").asText();
    }

    @Override
    Usage used(JsonNode usage) {
      long cached = usage.at("/prompt_tokens_details/cached_tokens").asLong();
      return new Usage(
          usage.path("prompt_tokens").asLong() - cached,
          usage.path("completion_tokens").asLong(),
          cached,
          0);
    }
  };

  private static final int MOST_TOKENS = 16_000;
  private static final String ANSWER = "verdicts";

  private final URI vendor;
  private final String variable;

  ModelApi(String vendor, String variable) {
    this.vendor = URI.create(vendor);
    this.variable = variable;
  }

  /** The root of the vendor that defined it. */
  public URI vendor() {
    return vendor;
  }

  /** The environment variable in which that vendor's programs expect the token. */
  public String variable() {
    return variable;
  }

  /** The address that is asked; a root may have the version in its path or not. */
  abstract URI endpoint(URI base);

  /** The header with the token. */
  abstract Map<String, String> login(String token);

  /** Further headers. */
  abstract Map<String, String> headers();

  /** The request. */
  abstract Map<String, Object> body(String model, String prompt, String schema);

  /** What the model wrote; empty if it wrote nothing in this form. */
  abstract Optional<String> text(JsonNode answer);

  /** Why the model stopped. */
  abstract String end(JsonNode answer);

  /** The tokens of a call, from the part of the answer that has them. */
  abstract Usage used(JsonNode usage);
}
