package dev.flyball.runner.session;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import java.time.Duration;
import java.util.Map;

/** Limits that differ from others in a few, by the names of the record. */
public final class SampleLimits {
  private SampleLimits() {}

  public static SessionLimits with(String name, Duration value) {
    return with(SessionLimits.DEFAULT, Map.of(name, value));
  }

  public static SessionLimits with(SessionLimits others, Map<String, ?> values) {
    var tree = (ObjectNode) RecordJson.tree(others);
    values.forEach((name, value) -> {
      if (tree.replace(name, RecordJson.tree(value)) == null) {
        throw new IllegalArgumentException(name);
      }
    });
    return RecordJson.read(tree.toString(), SessionLimits.class);
  }
}
