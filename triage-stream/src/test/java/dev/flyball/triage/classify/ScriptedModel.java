package dev.flyball.triage.classify;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A model that finds each item of a prompt worth a session, or is down. Used by one thread. */
final class ScriptedModel implements ModelCall {
  private static final Pattern ITEM = Pattern.compile("(?m)^ITEM (\\S+)$");

  /** Fails every call with this until it is null. */
  @Nullable ModelFailure down;

  /** Whether the thread is interrupted while it asks. */
  boolean cut;

  /** Judges one item of its first call, and none after that. */
  boolean bad;

  /** Fails each call whose prompt has such a text. */
  final Map<String, ModelFailure> poison = new HashMap<>();

  private final List<Integer> sizes = new ArrayList<>();

  @Override
  public String model() {
    return "scripted";
  }

  @Override
  public Reply ask(String prompt, String schema) throws ModelFailure, InterruptedException {
    List<String> ids = ITEM.matcher(prompt).results().map(each -> each.group(1)).toList();
    sizes.add(ids.size());
    if (cut) {
      throw new InterruptedException();
    }
    if (down != null) {
      throw down;
    }
    for (Map.Entry<String, ModelFailure> each : poison.entrySet()) {
      if (prompt.contains(each.getKey())) {
        throw each.getValue();
      }
    }
    String entries =
        ids.stream()
            .limit(bad ? (sizes.size() == 1 ? 1 : 0) : ids.size())
            .map(
                """
                {"id":"%s","deep":true,"complexity":3,"modules":[],"priority":1,"reason":"r"}\
                """
                    ::formatted)
            .collect(Collectors.joining(","));
    return new Reply("{\"verdicts\":[" + entries + "]}", 1_000L, 10, 5);
  }

  /** How many items each call had. */
  List<Integer> sizes() {
    return sizes;
  }
}
