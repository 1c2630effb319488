package dev.flyball.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** An entry as no tracker should write it: at each place in turn a value of another shape. */
public final class OtherShapes {
  private static final List<JsonNode> VALUES =
      Stream.of("null", "3", "1.5e300", "true", "\"x\"", "[]", "[null]", "[[3]]", "{}")
          .map(RecordJson::parse)
          .toList();

  private OtherShapes() {}

  /** Every variant of an entry with one value replaced. */
  public static List<JsonNode> of(JsonNode entry) {
    var variants = new ArrayList<>(VALUES);
    if (entry instanceof ObjectNode object) {
      object
          .properties()
          .forEach(field ->
              of(field.getValue())
                  .forEach(value -> variants.add(object.deepCopy().set(field.getKey(), value))));
    } else if (entry instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        for (JsonNode value : of(array.get(i))) {
          variants.add(array.deepCopy().set(i, value));
        }
      }
    }
    return variants;
  }
}
