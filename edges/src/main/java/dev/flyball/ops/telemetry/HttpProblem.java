package dev.flyball.ops.telemetry;

import com.sun.net.httpserver.HttpExchange;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An answer other than success. A handler throws it before it has written anything; the server
 * writes it in the form of RFC 9457, or as one line of text for a browser.
 */
public final class HttpProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final transient Map<String, Object> members;

  /**
   * @param detail one line for a person: what is wrong and the fix
   */
  public HttpProblem(int status, String detail) {
    this(status, detail, Map.of());
  }

  /**
   * @param members further members of the JSON, for a program
   */
  public HttpProblem(int status, String detail, Map<String, Object> members) {
    super(detail, null, false, false);
    this.status = status;
    this.members = Map.copyOf(members);
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The one line for a person. */
  public String detail() {
    return String.valueOf(getMessage());
  }

  void write(HttpExchange exchange) throws IOException {
    if (status == 413) {
      exchange.getResponseHeaders().set("Connection", "close");
    }
    if (acceptsHtml(exchange)) {
      AdminServer.answer(exchange, status, AdminServer.TEXT, detail() + "\n");
    } else {
      AdminServer.answer(
          exchange, status, "application/problem+json", RecordJson.write(json()) + "\n");
    }
  }

  private Map<String, Object> json() {
    var json = new LinkedHashMap<String, Object>();
    json.put("type", "about:blank");
    json.put("title", title(status));
    json.put("status", status);
    json.put("detail", detail());
    json.putAll(members);
    return json;
  }

  /** Whether the client is a browser that shows a page. */
  public static boolean acceptsHtml(HttpExchange exchange) {
    String accept = exchange.getRequestHeaders().getFirst("Accept");
    return accept != null && accept.contains("text/html");
  }

  private static String title(int status) {
    return switch (status) {
      case 400 -> "Bad Request";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 409 -> "Conflict";
      case 413 -> "Content Too Large";
      case 422 -> "Unprocessable Content";
      case 429 -> "Too Many Requests";
      case 503 -> "Service Unavailable";
      default -> "Internal Server Error";
    };
  }
}
