package dev.flyball.testkit;

import dev.flyball.contract.json.RecordJson;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/**
 * A model provider on loopback that speaks the Responses API as far as codex needs it: a streamed
 * text for each request, the script's next one. The last text answers all further requests too.
 */
public final class ResponsesApi implements AutoCloseable {
  /** Input tokens that each answer reports. */
  public static final int INPUT_TOKENS = 100;

  /** Output tokens that each answer reports. */
  public static final int OUTPUT_TOKENS = 5;

  private static final String PATH = "/v1/responses";

  private final FaultServer server = FaultServer.http();

  private ResponsesApi(IntFunction<FaultReply> answer) {
    var asked = new AtomicInteger();
    var _ =
        server.otherwise(request ->
            request.path().equals(PATH)
                ? answer.apply(asked.getAndIncrement())
                : FaultReply.status(404, Map.of()));
  }

  /** Listens on a free port. */
  public static ResponsesApi answering(String... script) {
    return new ResponsesApi(
        number -> streamed(number, script[Math.min(number, script.length - 1)]));
  }

  /** Listens on a free port, and rejects every request with this status and JSON body. */
  public static ResponsesApi rejecting(int status, String body) {
    return new ResponsesApi(_ -> FaultReply.json(status, body));
  }

  /** The base address, which ends in {@code /v1}. */
  public String url() {
    return server.url() + "/v1";
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

  private static FaultReply streamed(int number, String text) {
    Map<String, Object> message =
        Map.of(
            "type",
            "message",
            "role",
            "assistant",
            "id",
            "m" + number,
            "content",
            List.of(Map.of("type", "output_text", "text", text)));
    Map<String, Integer> usage =
        Map.of(
            "input_tokens",
            INPUT_TOKENS,
            "output_tokens",
            OUTPUT_TOKENS,
            "total_tokens",
            INPUT_TOKENS + OUTPUT_TOKENS);
    String events =
        event("response.created", Map.of("response", Map.of("id", "r" + number)))
            + event("response.output_item.done", Map.of("output_index", 0, "item", message))
            + event(
                "response.completed",
                Map.of("response", Map.of("id", "r" + number, "usage", usage)));
    return new FaultReply.Whole(
        200, Map.of("Content-Type", "text/event-stream"), events.getBytes(StandardCharsets.UTF_8));
  }

  private static String event(String type, Map<String, Object> fields) {
    var data = new HashMap<>(fields);
    data.put("type", type);
    return "event: " + type + "\ndata: " + RecordJson.write(data) + "\n\n";
  }
}
