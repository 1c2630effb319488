package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.session.Analysis.Passage;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.text.OneLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an agent had answered when it ended. It is bounded where it is read: whatever an agent
 * writes, the result event and the release that carry it can be sent.
 */
public sealed interface AgentAnswer {

  /**
   * What the answer looks like, for programs that take a JSON Schema. Further fields are allowed:
   * the prompt names more, and each rejected answer costs one more request.
   */
  String SCHEMA =
      """
      {"type":"object","required":["text","files","deserved","why"],"properties":{"text":\
      {"type":"string"},"files":{"type":"array","items":{"type":"object","required":["path",\
      "fromLine","toLine"],"properties":{"path":{"type":"string"},"fromLine":{"type":"integer"},\
      "toLine":{"type":"integer"},"excerpt":{"type":"string"}}}},"deserved":{"type":"string","enum":\
      ["true","false","unknown"]},"why":{"type":"string"}}}\
      """;

  /** The answer's text; partial if the agent did not reach its end, empty if there is none. */
  String text();

  /**
   * The agent answered: with one JSON line with text and passages, for which the prompt asks. A
   * model writes it into its last message, often between other text, over several lines or not at
   * all. Without such an object, the whole message is the text.
   *
   * @param commit the repository's head that the agent read, if it reported one
   * @param model the model that answered, if it was reported
   * @param deserved whether the item deserved the session, as the agent says: true, false, unknown
   *     or null
   */
  record Complete(
      String text,
      List<Passage> files,
      @Nullable String commit,
      @Nullable String model,
      @Nullable String deserved)
      implements AgentAnswer {
    private static final int MAX_PASSAGES = 200;
    private static final int MAX_PATH = 1024;

    /** All excerpts together: with the answer they must fit into a record of a megabyte. */
    private static final int MAX_EXCERPTS = 128 * 1024;

    private static final int MAX_WHY = 300;
    private static final Set<String> DESERVED = Set.of("true", "false", "unknown");
    private static final String BLOCK = "```json\n";
    private static final String BLOCK_END = "```";

    public Complete {
      text = Transcript.bounded(text);
      files = List.copyOf(files);
      commit = Transcript.name(commit);
      model = Transcript.name(model);
    }

    /** Reads a model's last message, which is not blank. */
    static Complete of(String said, @Nullable String model) {
      return said.lines()
          .flatMap(line -> line(line, model).stream())
          .reduce((earlier, later) -> later)
          .or(() ->
              JsonLinesReader.anyObject(block(said.strip()))
                  .flatMap(node -> structured(node, model)))
          .orElseGet(() -> new Complete(said.strip(), List.of(), null, model, null));
    }

    /** Reads a line that is an answer for itself: an object with a text and its passages. */
    static Optional<Complete> line(String said, @Nullable String model) {
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
    static Optional<Complete> line(JsonNode node, @Nullable String model) {
      boolean ours = node.has("text") || node.has("files");
      return ours && JsonLinesReader.type(node).equals("result")
          ? answer(node, node.has("text") ? "text" : "result", model)
          : Optional.empty();
    }

    /** Reads an object that is the whole answer, so that it needs no type; empty without a text. */
    static Optional<Complete> structured(JsonNode node, @Nullable String model) {
      return node.path("text").isTextual() ? answer(node, "text", model) : Optional.empty();
    }

    private static Optional<Complete> answer(JsonNode node, String field, @Nullable String model) {
      String text = node.path(field).asText();
      if (text.isBlank()) {
        return Optional.empty();
      }
      String named = JsonLinesReader.textOrNull(node, "model");
      return Optional.of(
          new Complete(
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

    /** Passages within their bounds. A cut is marked, so that half a secret is recognised. */
    private static List<Passage> passages(JsonNode files) {
      var passages = new ArrayList<Passage>();
      int room = MAX_EXCERPTS;
      for (JsonNode file : files) {
        if (file.path("path").isTextual() && passages.size() < MAX_PASSAGES) {
          String excerpt = excerpt(file.path("excerpt").asText(), room);
          room -= excerpt.length();
          passages.add(
              new Passage(
                  Transcript.line(file.path("path").asText(), MAX_PATH),
                  file.path("fromLine").asInt(1),
                  file.path("toLine").asInt(1),
                  excerpt));
        }
      }
      return passages;
    }

    private static String excerpt(String text, int room) {
      String mark = "...";
      return text.length() <= room
          ? text
          : room < mark.length() ? "" : OneLine.start(text, room - mark.length()) + mark;
    }
  }

  /**
   * The agent did not answer.
   *
   * @param fault whose it is, with the failure's kind and code for the retry policy
   * @param reason one line for a person: {@code no output}, {@code exit 3}, {@code killed by signal
   *     9} and the like, with the end of what it wrote to standard error
   * @param text what there is of an answer
   */
  record Broken(Fault fault, String reason, String text) implements AgentAnswer {
    private static final int MAX_REASON = 1000;

    /** An end that no provider is to blame for. */
    public Broken(Failure failure, String reason, String text) {
      this(new Fault(failure), reason, text);
    }

    public Broken {
      reason = Transcript.line(reason, MAX_REASON);
      text = Transcript.bounded(text);
    }

    /** What failed. */
    public Failure failure() {
      return fault.failure();
    }

    /** Whether it is a fault of the provider or of the runner, so that its item is not charged. */
    public boolean blamesOthers() {
      return failure().kind() == Kind.PROVIDER || failure().kind() == Kind.RUNNER;
    }

    /** Whether the provider's account is empty: no waiting helps. */
    public boolean accountExhausted() {
      return failure().code().equals(Fault.EXHAUSTED);
    }
  }
}
