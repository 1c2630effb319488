package dev.flyball.testkit;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A request as a {@link FaultServer} received it.
 *
 * @param target the target in the request line
 * @param headers by their names in lower case
 * @param beginNanos when its head was read, by {@link System#nanoTime}
 * @param endNanos when its answer was given up or written; 0 until then
 */
public record FaultRequest(
    String method,
    String target,
    Map<String, String> headers,
    String body,
    long beginNanos,
    long endNanos) {

  /** The target without its query. */
  public String path() {
    int at = target.indexOf('?');
    return at < 0 ? target : target.substring(0, at);
  }

  /** The query's parameters, decoded; the last one of a repeated name. */
  public Map<String, String> query() {
    var query = new TreeMap<String, String>();
    int at = target.indexOf('?');
    if (at >= 0) {
      for (String pair : target.substring(at + 1).split("&", -1)) {
        int is = pair.indexOf('=');
        String name = is < 0 ? pair : pair.substring(0, is);
        query.put(decoded(name), is < 0 ? "" : decoded(pair.substring(is + 1)));
      }
    }
    return query;
  }

  /** A header. */
  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
  }

  FaultRequest endedAt(long nanos) {
    return new FaultRequest(method, target, headers, body, beginNanos, nanos);
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
