package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * A model agent's way to speak, with runs in its own shapes: {@code good}, {@code error} and {@code
 * limited}. Every good run says the same in its dialect.
 *
 * @param costMicros what its good run says that it cost
 * @param model what its good run says that answered, null if it cannot say
 */
record Dialect(Agent adapter, String unknown, long costMicros, String model) {
  static final List<Dialect> ALL =
      List.of(
          new Dialect(
              AgentCatalogue.claude("claude", "opus", 500_000, AgentCatalogue.READ_ONLY),
              "{\"type\":\"system\",\"subtype\":\"compact_progress\",\"percent\":7}",
              12_346,
              "claude-opus-5-5"),
          new Dialect(
              AgentCatalogue.codex("gpt-x"),
              "{\"type\":\"item.plan.delta\",\"item\":{\"type\":\"hologram\"}}",
              0,
              "gpt-x"),
          new Dialect(
              AgentCatalogue.gemini(null),
              "{\"type\":\"thought\",\"content\":{}}",
              0,
              "gemini-3-pro"));

  /** The lines of a run. */
  List<String> run(String name) {
    String resource = "/agents/" + adapter.label() + "/" + name + ".jsonl";
    try (InputStream in = Dialect.class.getResourceAsStream(resource)) {
      return new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The same line with every object's keys the other way round. */
  static String turned(String line) {
    return StreamJson.object(line).map(node -> RecordJson.write(turned(node))).orElse(line);
  }

  private static JsonNode turned(JsonNode node) {
    if (!(node instanceof ObjectNode object)) {
      return node;
    }
    var names = new ArrayList<String>();
    object.fieldNames().forEachRemaining(names::add);
    Collections.reverse(names);
    ObjectNode other = object.objectNode();
    names.forEach(name -> other.set(name, turned(object.get(name))));
    return other;
  }

  @Override
  public String toString() {
    return adapter.label();
  }
}
