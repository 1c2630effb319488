package dev.flyball.tracker.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A complete answer as it was received.
 *
 * @param chunks its body, never joined, so that a large one is in memory only once
 */
record RawResponse(int status, HttpHeaders headers, List<byte[]> chunks) {
  private static final int HEAD = 65_536;
  private static final int MAX_MESSAGE = 1 << 20;
  private static final int MOST_WORDS = 5;

  /** The fields in which trackers write why they reject a request. */
  private static final List<String> NAMES =
      List.of(
          "message", "errorMessages", "error", "error_description", "errors", "detail", "title");

  boolean isRedirect() {
    return status / 100 == 3 && status != 304 && header("Location").isPresent();
  }

  Optional<String> header(String name) {
    return headers.firstValue(name);
  }

  boolean isEmpty() {
    return chunks.stream().allMatch(chunk -> chunk.length == 0);
  }

  InputStream body() {
    return new SequenceInputStream(
        Collections.enumeration(
            chunks.stream().map(chunk -> (InputStream) new ByteArrayInputStream(chunk)).toList()));
  }

  /** The beginning of the body, whatever its type. */
  String head() {
    var head = new java.io.ByteArrayOutputStream();
    for (byte[] chunk : chunks) {
      if (head.size() >= HEAD) {
        break;
      }
      head.write(chunk, 0, Math.min(chunk.length, HEAD - head.size()));
    }
    return head.toString(StandardCharsets.UTF_8);
  }

  /** Whether it is a web page for people, or XML. Some servers label their JSON as HTML. */
  boolean isPage() {
    String type = header("Content-Type").orElse("").toLowerCase(Locale.ROOT);
    String start = head().stripLeading();
    return start.startsWith("<")
        || (type.contains("html") && !start.startsWith("{") && !start.startsWith("["));
  }

  /** Whether headers show where the answer ends, so that a missing rest is noticed. */
  boolean endIsSure() {
    return header("Content-Length").isPresent() || header("Transfer-Encoding").isPresent();
  }

  /** The message of an error, in whichever of the usual shapes; empty if there is none for us. */
  String message() {
    if (isPage() || chunks.stream().mapToLong(chunk -> chunk.length).sum() > MAX_MESSAGE) {
      return "";
    }
    try {
      var words = new LinkedHashSet<String>();
      collect(TrackerJson.read(this), words, 0);
      return String.join("; ", words);
    } catch (TrackerJson.Unreadable e) {
      return header("Content-Type").orElse("").startsWith("text/plain") ? head() : "";
    }
  }

  private static void collect(JsonNode node, Set<String> words, int depth) {
    if (words.size() >= MOST_WORDS || depth > 4) {
      return;
    }
    if (node.isTextual() && !node.asText().isBlank()) {
      words.add(node.asText());
    } else if (node.isArray()) {
      node.forEach(element -> collect(element, words, depth + 1));
    } else if (node.isObject()) {
      List<String> known = NAMES.stream().filter(node::has).toList();
      known.forEach(name -> collect(node.get(name), words, depth + 1));
      if (known.isEmpty() && depth > 0) {
        // Jira's "errors": what is wrong with each field, under the field's name.
        node.properties().forEach(field -> collect(field.getValue(), words, depth + 1));
      }
    }
  }
}
