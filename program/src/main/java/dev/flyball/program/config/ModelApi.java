package dev.flyball.program.config;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.runner.agent.AgentSignal.Usage;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The form of requests and answers of an endpoint that serves a model. */
public enum ModelApi {
  /** The Messages API of Anthropic, with an answer by a tool that the model must use. */
  MESSAGES(
      "https://api.anthropic.com",
      "ANTHROPIC_API_KEY",
      "/messages",
      List.of("x-api-key", ""),
      List.of("anthropic-version", "2023-06-01"),
      """
      {
        "model": %s,
        "max_tokens": 16000,
        "messages": [{"role": "user", "content": %s}],
        "tools": [{"name": "verdicts", "input_schema": %s}],
        "tool_choice": {"type": "tool", "name": "verdicts"}
      }
      """,
      "/stop_reason"),
  /** Chat Completions of OpenAI, which servers of local models offer too. */
  CHAT(
      "https://api.openai.com",
      "OPENAI_API_KEY",
      "/chat/completions",
      List.of("Authorization", "Bearer "),
      List.of(),
      """
      {
        "model": %s,
        "messages": [{"role": "user", "content": %s}],
        "response_format": {
          "type": "json_schema",
          "json_schema": {"name": "verdicts", "strict": true, "schema": %s}
        }
      }
      """,
      "/choices/0/finish_reason");

  private final URI vendor;
  private final String variable;
  private final String path;
  private final List<String> login;
  private final List<String> header;
  private final String body;
  private final String end;

  /**
   * One API.
   *
   * @param path what is asked, below the version
   * @param login the name of the header with the token, and what its value has before the token
   * @param header name and value of a further one
   * @param body with places for model, prompt and schema
   * @param end where an answer says why the model stopped
   */
  ModelApi(
      String vendor,
      String variable,
      String path,
      List<String> login,
      List<String> header,
      String body,
      String end) {
    this.vendor = URI.create(vendor);
    this.variable = variable;
    this.path = path;
    this.login = login;
    this.header = header;
    this.body = body;
    this.end = end;
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
  public URI endpoint(URI base) {
    String root = base.getRawPath();
    boolean versioned = this == CHAT ? !root.isEmpty() : root.endsWith("/v1");
    return URI.create(base + (versioned ? "" : "/v1") + path);
  }

  /** The request; the token may be empty. */
  public HttpRequest request(URI base, String token, String model, String prompt, String schema) {
    // Some servers of chat ignore a schema that is no part of the prompt.
    String asked = this == CHAT ? asked(prompt, schema) : prompt;
    String text =
        String.format(Locale.ROOT, body, RecordJson.write(model), RecordJson.write(asked), schema);
    var request =
        HttpRequest.newBuilder(endpoint(base))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(text));
    if (!header.isEmpty()) {
      request.header(header.getFirst(), header.getLast());
    }
    if (!token.isEmpty()) {
      request.header(login.getFirst(), login.getLast() + token);
    }
    return request.build();
  }

  /** What the model wrote; empty if it wrote nothing in this form. */
  public Optional<String> text(JsonNode answer) {
    if (this == CHAT) {
      return Optional.of(answer.at("/choices/0/message/content"))
          .filter(JsonNode::isTextual)
          .map(content -> object(content.asText()));
    }
    return answer
        .path("content")
        .valueStream()
        .filter(block -> block.path("type").asText().equals("tool_use"))
        .findFirst()
        .map(block -> RecordJson.write(block.path("input")));
  }

  /** Why the model stopped. */
  public String end(JsonNode answer) {
    return answer.at(end).asText();
  }

  /** The tokens of a call, from the part of the answer that has them. */
  public Usage used(JsonNode usage) {
    if (this == CHAT) {
      long cached = usage.at("/prompt_tokens_details/cached_tokens").asLong();
      long input = usage.path("prompt_tokens").asLong() - cached;
      return new Usage(input, usage.path("completion_tokens").asLong(), cached, 0);
    }
    return new Usage(
        usage.path("input_tokens").asLong() + usage.path("cache_creation_input_tokens").asLong(),
        usage.path("output_tokens").asLong(),
        usage.path("cache_read_input_tokens").asLong(),
        0);
  }

  /** A prompt that ends with the schema, for a model that nothing else makes keep it. */
  public static String asked(String prompt, String schema) {
    return prompt
        + "\n\nAnswer with one JSON object and nothing else. It must match this JSON Schema:\n"
        + schema
        + "\n";
  }

  /** The object in an answer of a model that also writes a fence or a sentence around it. */
  public static String object(String text) {
    int from = text.indexOf('{');
    int to = text.lastIndexOf('}');
    return from >= 0 && to > from ? text.substring(from, to + 1) : text;
  }
}
