package dev.flyball.tracker.http;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A complete answer as it was received.
 *
 * @param chunks its body, never joined, so that a large one is in memory only once
 */
record RawResponse(int status, HttpHeaders headers, List<byte[]> chunks) {
  private static final int HEAD = 65_536;

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
}
