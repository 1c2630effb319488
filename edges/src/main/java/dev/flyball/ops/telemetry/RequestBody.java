package dev.flyball.ops.telemetry;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The body of a request, and fields in the form of a query. */
public final class RequestBody {
  /** Longest body, in bytes. */
  public static final int MOST = 64 * 1024;

  private static final int MOST_FIELDS = 100;

  private RequestBody() {}

  /**
   * Reads the whole body as UTF-8.
   *
   * @throws HttpProblem 413 if it is longer than {@link #MOST}, 400 if its length is no number
   */
  public static String read(HttpExchange exchange) throws IOException {
    String length = exchange.getRequestHeaders().getFirst("Content-Length");
    if (length != null && tooLong(length)) {
      throw tooLong();
    }
    byte[] bytes = exchange.getRequestBody().readNBytes(MOST + 1);
    if (bytes.length > MOST) {
      throw tooLong();
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /**
   * The fields of a query or a form; of a name that is there twice, the last one.
   *
   * @throws HttpProblem 400 if it is not of that form
   */
  public static Map<String, String> fields(String query) {
    var fields = new LinkedHashMap<String, String>();
    for (String pair : query.split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        fields.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
      }
      if (fields.size() > MOST_FIELDS) {
        throw new HttpProblem(400, "more than " + MOST_FIELDS + " fields");
      }
    }
    return fields;
  }

  /** The fields of a request's query. */
  public static Map<String, String> query(HttpExchange exchange) {
    String raw = exchange.getRequestURI().getRawQuery();
    return raw == null ? Map.of() : fields(raw);
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new HttpProblem(400, "a field is not URL-encoded");
    }
  }

  private static boolean tooLong(String length) {
    try {
      return Long.parseLong(length.strip()) > MOST;
    } catch (NumberFormatException e) {
      throw new HttpProblem(400, "Content-Length is not a number");
    }
  }

  private static HttpProblem tooLong() {
    return new HttpProblem(413, "the body is longer than " + MOST / 1024 + " KiB");
  }
}
