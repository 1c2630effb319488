package dev.flyball.ops.telemetry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP endpoint of every role: {@code /livez}, {@code /readyz}, {@code /health} and {@code
 * /metrics}. It answers as soon as it is started, also during a slow sweep or while the broker is
 * absent. Each request has a separate virtual thread, which also calls the health supplier.
 */
public final class AdminServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final int BACKLOG = 64;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Telemetry telemetry;
  private final Supplier<Health> health;

  private AdminServer(HttpServer server, Telemetry telemetry, Supplier<Health> health) {
    this.server = server;
    this.telemetry = telemetry;
    this.health = health;
  }

  /**
   * Starts to listen.
   *
   * @param key the configuration key of the address, named in the error if the port is taken
   * @throws StartFailure if it cannot listen on the address
   */
  public static AdminServer start(
      String key, ListenAddress listen, Telemetry telemetry, Supplier<Health> health) {
    AdminServer admin = new AdminServer(bind(key, listen), telemetry, health);
    admin.route("/livez", admin::live);
    admin.route("/readyz", admin::ready);
    admin.route("/health", admin::health);
    admin.route(
        "/metrics",
        exchange ->
            answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", telemetry.scrape()));
    admin.server.setExecutor(admin.threads);
    admin.server.start();
    return admin;
  }

  /**
   * Adds a route; may be called while the server runs. Only this exact path is served, unless it
   * ends with a slash: then every path below it is served too. Only GET and HEAD reach the handler.
   * If the handler throws, the answer is 500 and the exception is logged.
   */
  public void route(String path, HttpHandler handler) {
    server.createContext(path, exchange -> guarded(exchange, path, handler));
  }

  /** The server's address, for example {@code http://127.0.0.1:8321}. */
  public String url() {
    String host = server.getAddress().getAddress().getHostAddress();
    return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port();
  }

  /** The port it listens on. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** Writes a complete response; for handlers of further routes. */
  public static void answer(HttpExchange exchange, int status, String contentType, String body)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", contentType);
    exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, head || bytes.length == 0 ? -1 : bytes.length);
    if (!head) {
      exchange.getResponseBody().write(bytes);
    }
  }

  /** The current answer of {@code /health}. */
  public HealthReport report() {
    return HealthReport.of(
        health.get(),
        (long) telemetry.gauge(Metric.SESSIONS_LIVE).orElse(0),
        (long) telemetry.gauge(Metric.SESSIONS_CAP).orElse(0),
        MachineLoad.now());
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void live(HttpExchange exchange) throws IOException {
    Health now = health.get();
    List<String> lines = now.live() ? List.of("ok") : now.reasons();
    answer(exchange, now.live() ? 200 : 503, TEXT, String.join("\n", lines) + "\n");
  }

  private void ready(HttpExchange exchange) throws IOException {
    Health now = health.get();
    List<String> lines = now.ready() ? List.of("ok") : now.reasons();
    answer(exchange, now.ready() ? 200 : 503, TEXT, String.join("\n", lines) + "\n");
  }

  private void health(HttpExchange exchange) throws IOException {
    HealthReport report = report();
    answer(exchange, report.httpStatus(), "application/json", RecordJson.write(report) + "\n");
  }

  private static void guarded(HttpExchange exchange, String path, HttpHandler handler)
      throws IOException {
    // The exchange is closed last: closing it before the 500 is written would drop the connection.
    try (exchange) {
      try {
        dispatch(exchange, path, handler);
      } catch (RuntimeException e) {
        LOG.warn("cannot answer {}", path, e);
        answer(exchange, 500, TEXT, "internal error, see the log\n");
      }
    }
  }

  private static void dispatch(HttpExchange exchange, String path, HttpHandler handler)
      throws IOException {
    String asked = exchange.getRequestURI().getPath();
    if (!asked.equals(path) && !path.endsWith("/")) {
      answer(exchange, 404, TEXT, "not found\n");
    } else if (!List.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      answer(exchange, 405, TEXT, "only GET\n");
    } else {
      handler.handle(exchange);
    }
  }

  private static HttpServer bind(String key, ListenAddress listen) {
    try {
      return HttpServer.create(listen.socket(), BACKLOG);
    } catch (IOException e) {
      throw new StartFailure(
          key
              + " "
              + listen
              + " cannot be listened on ("
              + e.getMessage()
              + "): free the port or set "
              + key
              + " to another, port 0 takes any free one",
          e);
    }
  }
}
