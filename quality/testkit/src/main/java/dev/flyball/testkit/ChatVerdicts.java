package dev.flyball.testkit;

import dev.flyball.contract.json.RecordJson;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** How a model behind a Chat Completions endpoint answers what triage asks about a batch. */
public final class ChatVerdicts {
  /** Input tokens that each answer reports. */
  public static final int INPUT_TOKENS = 1000;

  /** Output tokens that each answer reports. */
  public static final int OUTPUT_TOKENS = 200;

  private static final Pattern ITEM = Pattern.compile("(?m)^ITEM (\\S+)$");

  private ChatVerdicts() {}

  /** The items of a request, by the ids of its prompt. */
  public static List<String> items(String request) {
    String prompt = RecordJson.parse(request).at("/messages/0/content").asText();
    return ITEM.matcher(prompt).results().map(each -> each.group(1)).toList();
  }

  /** An answer in which the first items of a request deserve a session. */
  public static FaultReply of(String request, int deep) {
    List<String> ids = items(request);
    List<Map<String, Object>> verdicts =
        IntStream.range(0, ids.size()).mapToObj(i -> verdict(ids.get(i), i < deep)).toList();
    String content = RecordJson.write(Map.of("verdicts", verdicts));
    return FaultReply.json(
        RecordJson.write(
            Map.of(
                "choices",
                List.of(Map.of("message", Map.of("content", content), "finish_reason", "stop")),
                "usage",
                Map.of("prompt_tokens", INPUT_TOKENS, "completion_tokens", OUTPUT_TOKENS))));
  }

  private static Map<String, Object> verdict(String id, boolean deep) {
    return Map.of(
        "id",
        id,
        "deep",
        deep,
        "complexity",
        2,
        "modules",
        List.of("m"),
        "priority",
        1,
        "reason",
        "a scripted verdict");
  }
}
