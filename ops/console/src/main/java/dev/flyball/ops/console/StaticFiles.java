package dev.flyball.ops.console;

import com.sun.net.httpserver.HttpExchange;
import dev.flyball.ops.telemetry.AdminServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Style sheet and scripts, ours and the vendored ones. A browser asks again each time and gets 304
 * while they are unchanged, so an upgrade never meets old scripts.
 */
final class StaticFiles {
  /** Below this path. */
  static final String PATH = "/static/";

  private static final Map<String, String> TYPES =
      Map.of(
          "console.css", "text/css; charset=utf-8",
          "uplot-1.6.32.min.css", "text/css; charset=utf-8",
          "console.js", "text/javascript; charset=utf-8",
          "htmx-2.0.11.min.js", "text/javascript; charset=utf-8",
          "htmx-ext-sse-2.2.4.min.js", "text/javascript; charset=utf-8",
          "uplot-1.6.32.iife.min.js", "text/javascript; charset=utf-8",
          "mark.svg", "image/svg+xml");

  private final Map<String, String> texts =
      TYPES.keySet().stream().collect(Collectors.toMap(name -> name, StaticFiles::read));

  private final Map<String, String> tags =
      texts.entrySet().stream()
          .collect(Collectors.toMap(Map.Entry::getKey, file -> tag(file.getValue())));

  /** Answers one file; 404 for any other name. */
  void answer(HttpExchange exchange) throws IOException {
    String name = exchange.getRequestURI().getPath().substring(PATH.length());
    String text = texts.get(name);
    if (text == null) {
      AdminServer.answer(exchange, 404, "text/plain; charset=utf-8", "not found\n");
      return;
    }
    String tag = Objects.requireNonNull(tags.get(name));
    var headers = exchange.getResponseHeaders();
    headers.set("ETag", tag);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Cache-Control", "no-cache");
    headers.set("Content-Type", Objects.requireNonNull(TYPES.get(name)));
    if (tag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
      exchange.sendResponseHeaders(304, -1);
      return;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(200, head ? -1 : bytes.length);
    if (!head) {
      exchange.getResponseBody().write(bytes);
    }
  }

  private static String read(String name) {
    try (InputStream file = StaticFiles.class.getResourceAsStream("static/" + name)) {
      return new String(Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String tag(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return '"' + HexFormat.of().formatHex(digest, 0, 12) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
