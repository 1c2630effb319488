package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.session.Analysis.Passage;
import dev.flyball.contract.text.OneLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the answer that the prompt asks for: one JSON line with text and passages. A model writes
 * it into its last message, often between other text, over several lines or not at all. Without
 * such an object, the whole message is the text.
 */
final class AnswerSchema {
  /**
   * What the answer looks like, for programs that take a JSON Schema. Further fields are allowed:
   * the prompt names more, and each rejected answer costs one more request.
   */
  static final String JSON =
      """
      {"type":"object","required":["text","files","deserved","why"],"properties":{"text":\
      {"type":"string"},"files":{"type":"array","items":{"type":"object","required":["path",\
      "fromLine","toLine"],"properties":{"path":{"type":"string"},"fromLine":{"type":"integer"},\
      "toLine":{"type":"integer"},"excerpt":{"type":"string"}}}},"deserved":{"type":"string","enum":\
      ["true","false","unknown"]},"why":{"type":"string"}}}\
      """;

  private static final int MAX_PASSAGES = 200;
  private static final int MAX_PATH = 1024;

  /** All excerpts together: with the answer they must fit into a record of a megabyte. */
  private static final int MAX_EXCERPTS = 128 * 1024;

  private static final int MAX_WHY = 300;
  private static final Set<String> DESERVED = Set.of("true", "false", "unknown");
  private static final String BLOCK = "```json\n";
  private static final String BLOCK_END = "```";

  private AnswerSchema() {}

  /** Reads a model's last message, which is not blank. */
  static AgentAnswer.Complete of(String said, @Nullable String model) {
    return said.lines()
        .flatMap(line -> line(line, model).stream())
        .reduce((earlier, later) -> later)
        .or(() ->
            JsonLinesReader.anyObject(block(said.strip())).flatMap(node -> structured(node, model)))
        .orElseGet(() -> new AgentAnswer.Complete(said.strip(), List.of(), null, model, null));
  }

  /** Reads a line that is an answer for itself: an object with a text and its passages. */
  static Optional<AgentAnswer.Complete> line(String said, @Nullable String model) {
    return JsonLinesReader.anyObject(said)
        .flatMap(node ->
            node.path("files").isArray() && !node.has("type")
                ? structured(node, model)
                : line(node, model));
  }

  /** The message, or the fenced block of JSON at its end. */
  private static String block(String said) {
    int begin = said.lastIndexOf(BLOCK);
    int end = said.length() - BLOCK_END.length();
    return begin >= 0 && said.endsWith(BLOCK_END) && begin + BLOCK.length() <= end
        ? said.substring(begin + BLOCK.length(), end).strip()
        : said;
  }

  /**
   * Reads an object that has the answer's own fields; empty if it has none of them or no text. A
   * program written for Flyball may put its passages beside the {@code result} of a result line.
   */
  static Optional<AgentAnswer.Complete> line(JsonNode node, @Nullable String model) {
    boolean ours = node.has("text") || node.has("files");
    return ours && JsonLinesReader.type(node).equals("result")
        ? answer(node, node.has("text") ? "text" : "result", model)
        : Optional.empty();
  }

  /** Reads an object that is the whole answer, so that it needs no type; empty without a text. */
  static Optional<AgentAnswer.Complete> structured(JsonNode node, @Nullable String model) {
    return node.path("text").isTextual() ? answer(node, "text", model) : Optional.empty();
  }

  private static Optional<AgentAnswer.Complete> answer(
      JsonNode node, String field, @Nullable String model) {
    String text = node.path(field).asText();
    if (text.isBlank()) {
      return Optional.empty();
    }
    String named = JsonLinesReader.textOrNull(node, "model");
    return Optional.of(
        new AgentAnswer.Complete(
            text + worth(node),
            passages(node.path("files")),
            JsonLinesReader.textOrNull(node, "commit"),
            // The program knows which model answered; a model only guesses.
            model == null ? named : model,
            deserved(node)));
  }

  /** Whether the item deserved the session, as the last line of the answer; empty if not said. */
  private static String worth(JsonNode node) {
    String deserved = deserved(node);
    if (deserved == null) {
      return "";
    }
    String why = OneLine.of(node.path("why").asText(), MAX_WHY);
    return "\n\nDeserved a session: " + deserved + (why.isEmpty() ? "" : " (" + why + ")");
  }

  private static @Nullable String deserved(JsonNode node) {
    String said = node.path("deserved").asText();
    return DESERVED.contains(said) ? said : null;
  }

  private static List<Passage> passages(JsonNode files) {
    var passages = new ArrayList<Passage>();
    for (JsonNode file : files) {
      if (file.path("path").isTextual()) {
        passages.add(
            new Passage(
                file.path("path").asText(),
                file.path("fromLine").asInt(1),
                file.path("toLine").asInt(1),
                file.path("excerpt").asText()));
      }
    }
    return passages;
  }

  /** Returns passages within their bounds. A cut is marked, so that half a secret is recognised. */
  static List<Passage> bounded(List<Passage> passages) {
    var within = new ArrayList<Passage>();
    int room = MAX_EXCERPTS;
    for (Passage each : passages.subList(0, Math.min(passages.size(), MAX_PASSAGES))) {
      String excerpt = excerpt(each.excerpt(), room);
      room -= excerpt.length();
      within.add(
          new Passage(
              AgentLine.of(each.path(), MAX_PATH), each.fromLine(), each.toLine(), excerpt));
    }
    return List.copyOf(within);
  }

  private static String excerpt(String text, int room) {
    String mark = "...";
    return text.length() <= room
        ? text
        : room < mark.length() ? "" : OneLine.start(text, room - mark.length()) + mark;
  }
}
