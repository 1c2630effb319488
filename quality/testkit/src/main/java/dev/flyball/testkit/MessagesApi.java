package dev.flyball.testkit;

import dev.flyball.contract.json.RecordJson;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * A model provider on loopback, so that a real agent program runs without a network, a key or a
 * bill. It speaks the Messages API as far as Claude Code needs it: a streamed answer for each
 * request, taken from a script. The script's last turn answers all further requests too.
 */
public final class MessagesApi implements AutoCloseable {
  /** Input tokens that each answer reports. */
  public static final int INPUT_TOKENS = 123;

  /** Output tokens that each answer reports. */
  public static final int OUTPUT_TOKENS = 17;

  /** Tokens read from the provider's cache that each answer reports. */
  public static final int CACHED_TOKENS = 45;

  private static final String PATH = "/v1/messages";
  private static final Map<String, String> STREAM = Map.of("Content-Type", "text/event-stream");

  private final FaultServer server = FaultServer.http();
  private final AtomicInteger asked = new AtomicInteger();
  private final List<Turn> script;

  /** The answer to one request. */
  public sealed interface Turn {
    /** With the structured answer of a deep session: this text and one passage. */
    static Turn analysis(String text) {
      String answer =
          RecordJson.write(
              Map.of(
                  "text",
                  text,
                  "files",
                  List.of(
                      Map.of(
                          "path", "src/A.java", "fromLine", 3, "toLine", 5, "excerpt", "int a;")),
                  "deserved",
                  "true",
                  "why",
                  "it names a cause"));
      return new Structures(body -> answer);
    }

    /** With a text, which ends the agent's turn. */
    record Says(String text) implements Turn {}

    /** With a text, if it is not empty, and a request to run a shell command. */
    record Runs(String text, String command) implements Turn {
      /** Without a text. */
      public Runs(String command) {
        this("", command);
      }
    }

    /**
     * With the structured answer that {@code --json-schema} asks for.
     *
     * @param answer makes it, as JSON, from the body of the request
     */
    record Structures(UnaryOperator<String> answer) implements Turn {}

    /** With an HTTP status and an error: 429 and 529 are a provider's limits. */
    record Fails(int status) implements Turn {}

    /**
     * With the rejection that a subscription gets whose limit is reached.
     *
     * @param claim which limit, for example {@code seven_day}
     * @param resetsAt when it ends, in seconds since 1970
     */
    record Limits(String claim, long resetsAt) implements Turn {}

    /** With the beginning of an answer and then nothing more. */
    record Stalls() implements Turn {}
  }

  private MessagesApi(List<Turn> script) {
    this.script = script;
  }

  /** Listens on a free port. */
  public static MessagesApi answering(Turn... script) {
    var api = new MessagesApi(List.of(script));
    var _ = api.server.otherwise(api::answer);
    return api;
  }

  /** The environment variables that lead an agent here instead of to a provider. */
  public Map<String, String> environment() {
    return Map.of("ANTHROPIC_BASE_URL", url(), "ANTHROPIC_API_KEY", "no-key-at-all");
  }

  /** The base address. */
  public String url() {
    return server.url().toString();
  }

  /** The bodies of the requests received until now. */
  public List<String> requests() {
    return server.requests().stream()
        .filter(request -> request.path().equals(PATH))
        .map(FaultRequest::body)
        .toList();
  }

  @Override
  public void close() {
    server.close();
  }

  private FaultReply answer(FaultRequest request) {
    if (!request.path().equals(PATH)) {
      return FaultReply.json(RecordJson.write(Map.of("input_tokens", INPUT_TOKENS)));
    }
    int number = asked.getAndIncrement();
    String begin = begin(number, RecordJson.parse(request.body()).path("model").asText("model"));
    return switch (script.get(Math.min(number, script.size() - 1))) {
      case Turn.Fails(int status) -> failed(status, Map.of());
      case Turn.Limits(String claim, long resetsAt) -> {
        String header = "anthropic-ratelimit-unified-";
        yield failed(
            429,
            Map.of(
                header + "status",
                "rejected",
                header + "reset",
                String.valueOf(resetsAt),
                header + "representative-claim",
                claim));
      }
      case Turn.Says(String text) -> streamed(begin + text(text) + end("end_turn"));
      case Turn.Runs(String text, String command) -> {
        String input =
            RecordJson.write(Map.of("command", command, "description", "a scripted command"));
        yield streamed(
            text.isEmpty()
                ? begin + tool(number, 0, "Bash", input)
                : begin + text(text) + tool(number, 1, "Bash", input));
      }
      case Turn.Structures(UnaryOperator<String> answer) ->
          streamed(begin + tool(number, 0, "StructuredOutput", answer.apply(request.body())));
      case Turn.Stalls _ -> new FaultReply.Stalled(STREAM, begin);
    };
  }

  private static FaultReply failed(int status, Map<String, String> headers) {
    Map<String, String> error = Map.of("type", kind(status), "message", "scripted");
    return FaultReply.json(
        status, headers, RecordJson.write(Map.of("type", "error", "error", error)));
  }

  private static FaultReply streamed(String events) {
    return new FaultReply.Whole(200, STREAM, events.getBytes(StandardCharsets.UTF_8));
  }

  private static String begin(int number, String model) {
    return event(
        "message_start",
        Map.of(
            "message",
            Map.of(
                "id",
                "msg_" + number,
                "type",
                "message",
                "role",
                "assistant",
                "model",
                model,
                "content",
                List.of(),
                "usage",
                usage(1))));
  }

  private static String tool(int number, int index, String name, String input) {
    return block(
            index,
            Map.of("type", "tool_use", "id", "toolu_" + number, "name", name, "input", Map.of()),
            Map.of("type", "input_json_delta", "partial_json", input))
        + end("tool_use");
  }

  private static String text(String text) {
    return block(0, Map.of("type", "text", "text", ""), Map.of("type", "text_delta", "text", text));
  }

  private static String block(int index, Map<String, Object> start, Map<String, Object> delta) {
    return event("content_block_start", Map.of("index", index, "content_block", start))
        + event("content_block_delta", Map.of("index", index, "delta", delta))
        + event("content_block_stop", Map.of("index", index));
  }

  private static String end(String reason) {
    return event(
            "message_delta",
            Map.of("delta", Map.of("stop_reason", reason), "usage", usage(OUTPUT_TOKENS)))
        + event("message_stop", Map.of());
  }

  private static Map<String, Object> usage(int output) {
    return Map.of(
        "input_tokens",
        INPUT_TOKENS,
        "output_tokens",
        output,
        "cache_read_input_tokens",
        CACHED_TOKENS,
        "cache_creation_input_tokens",
        0);
  }

  private static String event(String type, Map<String, Object> fields) {
    var data = new LinkedHashMap<String, Object>();
    data.put("type", type);
    data.putAll(fields);
    return "event: " + type + "\ndata: " + RecordJson.write(data) + "\n\n";
  }

  private static String kind(int status) {
    return switch (status) {
      case 429 -> "rate_limit_error";
      case 529 -> "overloaded_error";
      default -> "api_error";
    };
  }
}
