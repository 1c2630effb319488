package dev.flyball.testkit;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** How a {@link FaultServer} answers one request: correctly, badly or not at all. */
public sealed interface FaultReply {

  /** Completely, with exactly these bytes. */
  record Whole(int status, Map<String, String> headers, byte[] body) implements FaultReply {}

  /** With a head that announces more than is sent before the connection closes. */
  record Cut(String body, int missing) implements FaultReply {}

  /** With a head without a length, the beginning of a body, and nothing more. */
  record Stalled(Map<String, String> headers, String body) implements FaultReply {}

  /** With nothing until the server is closed. */
  record Silent() implements FaultReply {}

  /** With an immediate head, and a body that never ends: one byte each 100 ms. */
  record Dripping() implements FaultReply {}

  /**
   * With this many bytes of valid JSON, not held in memory here.
   *
   * @param announced whether the head gives the length
   */
  record Flood(long bytes, boolean announced) implements FaultReply {}

  /** With a reset of the connection. */
  record Reset() implements FaultReply {}

  /** With bytes that are no HTTP. */
  record Raw(String bytes) implements FaultReply {}

  /** JSON with status 200. */
  static FaultReply json(String body) {
    return json(200, body);
  }

  /** JSON with a status. */
  static FaultReply json(int status, String body) {
    return json(status, Map.of(), body);
  }

  /** JSON with a status and headers. */
  static FaultReply json(int status, Map<String, String> headers, String body) {
    var all = new TreeMap<>(headers);
    all.putIfAbsent("Content-Type", "application/json; charset=utf-8");
    return new Whole(status, all, body.getBytes(StandardCharsets.UTF_8));
  }

  /** A status without a body. */
  static FaultReply status(int status, Map<String, String> headers) {
    return new Whole(status, headers, new byte[0]);
  }

  /** A web page, as a proxy or a sign-in shows it. */
  static FaultReply page(int status, String html) {
    return new Whole(
        status,
        Map.of("Content-Type", "text/html; charset=utf-8"),
        html.getBytes(StandardCharsets.UTF_8));
  }

  /** A redirect. */
  static FaultReply redirect(int status, String location) {
    return new Whole(status, Map.of("Location", location), new byte[0]);
  }
}
