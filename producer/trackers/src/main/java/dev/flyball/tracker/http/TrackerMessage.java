package dev.flyball.tracker.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The message in a tracker's error answer, in whichever of the usual shapes. */
final class TrackerMessage {
  private static final List<String> NAMES =
      List.of(
          "message", "errorMessages", "error", "error_description", "errors", "detail", "title");
  private static final int MOST = 5;

  private TrackerMessage() {}

  /** The message; empty if there is none for us. */
  static String of(RawResponse received) {
    if (received.isPage() || received.chunks().stream().mapToLong(c -> c.length).sum() > 1 << 20) {
      return "";
    }
    try {
      var words = new ArrayList<String>();
      collect(TrackerJson.read(received), words, 0);
      return String.join("; ", new java.util.LinkedHashSet<>(words));
    } catch (TrackerJson.Unreadable e) {
      return received.header("Content-Type").orElse("").startsWith("text/plain")
          ? received.head()
          : "";
    }
  }

  private static void collect(JsonNode node, List<String> words, int depth) {
    if (words.size() >= MOST || depth > 4) {
      return;
    }
    if (node.isTextual() && !node.asText().isBlank()) {
      words.add(node.asText());
    } else if (node.isArray()) {
      node.forEach(element -> collect(element, words, depth + 1));
    } else if (node.isObject()) {
      Set<String> known = new TreeSet<>();
      for (String name : NAMES) {
        if (node.has(name)) {
          known.add(name);
          collect(node.get(name), words, depth + 1);
        }
      }
      if (known.isEmpty() && depth > 0) {
        // Jira's "errors": what is wrong with each field, under the field's name.
        node.properties().forEach(field -> collect(field.getValue(), words, depth + 1));
      }
    }
  }
}
