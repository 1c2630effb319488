package dev.flyball.runner.agent;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What an endpoint of OpenAI's chat completions answers. */
final class ChatCompletions {
  private ChatCompletions() {}

  static FaultReply message(String text) {
    return streamed(Map.of("content", text));
  }

  /** A call of one tool. */
  static FaultReply call(Map<String, Object> function) {
    Map<String, Object> call =
        Map.of("index", 0, "id", "t", "type", "function", "function", function);
    return streamed(Map.of("tool_calls", List.of(call)));
  }

  /** A streamed message: 100 tokens in, 40 of them cached, 20 out. */
  private static FaultReply streamed(Map<String, Object> delta) {
    boolean call = delta.containsKey("tool_calls");
    String stream =
        event(Map.of("choices", List.of(Map.of("index", 0, "delta", delta))))
            + event(
                Map.of(
                    "choices",
                    List.of(
                        Map.of(
                            "index",
                            0,
                            "delta",
                            Map.of(),
                            "finish_reason",
                            call ? "tool_calls" : "stop"))))
            + event(
                Map.of(
                    "choices",
                    List.of(),
                    "usage",
                    Map.of(
                        "prompt_tokens", 100,
                        "completion_tokens", 20,
                        "total_tokens", 120,
                        "prompt_tokens_details", Map.of("cached_tokens", 40))))
            + "data: [DONE]\n\n";
    return new FaultReply.Whole(
        200, Map.of("Content-Type", "text/event-stream"), stream.getBytes(StandardCharsets.UTF_8));
  }

  private static String event(Map<String, Object> fields) {
    var chunk = new HashMap<>(fields);
    chunk.put("id", "c");
    chunk.put("object", "chat.completion.chunk");
    chunk.put("created", 1);
    chunk.put("model", "some-model");
    return "data: " + RecordJson.write(chunk) + "\n\n";
  }
}
