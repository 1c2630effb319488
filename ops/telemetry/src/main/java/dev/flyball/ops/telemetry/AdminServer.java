package dev.flyball.ops.telemetry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * The HTTP endpoint of every role: {@code /livez}, {@code /readyz}, {@code /health} and {@code
 * /metrics}. It answers as soon as it is started, also during a slow sweep or while the broker is
 * absent. Each request has a separate virtual thread, which also calls the health supplier.
 */
public final class AdminServer implements AutoCloseable {
  static final String TEXT = "text/plain; charset=utf-8";
  private static final int BACKLOG = 256;

  /** How long a client may take to read an answer, or a part of a stream. */
  private static final Duration WRITE_LIMIT = Duration.ofSeconds(60);

  /**
   * Limits of the JDK's server, for the whole process; each can be set as a system property. A
   * request must have arrived within {@code maxReqTime} seconds, so a slow client holds no thread
   * for longer. Of an answer each write has a limit, and not the whole: live streams are open for
   * hours.
   */
  private static final Map<String, String> LIMITS =
      Map.of(
          "sun.net.httpserver.maxReqTime", "20",
          "sun.net.httpserver.idleInterval", "60",
          "sun.net.httpserver.maxIdleConnections", "256",
          "sun.net.httpserver.maxReqHeaders", "100",
          "sun.net.httpserver.maxReqHeaderSize", "65536",
          "jdk.httpserver.maxConnections", "4096");

  static {
    LIMITS.forEach((name, value) -> {
      if (System.getProperty(name) == null) {
        System.setProperty(name, value);
      }
    });
  }

  private final HttpServer server;
  private final RouteTable routes;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Telemetry telemetry;
  private final Supplier<Health> health;

  /** Decides who may ask. */
  public interface Gate {
    /** Lets every request pass. */
    Gate OPEN = exchange -> true;

    /**
     * Whether a request may reach its handler; if not, it has been answered.
     *
     * @throws HttpProblem if it may not
     */
    boolean admits(HttpExchange exchange) throws IOException;
  }

  private AdminServer(
      HttpServer server, RouteTable routes, Telemetry telemetry, Supplier<Health> health) {
    this.server = server;
    this.routes = routes;
    this.telemetry = telemetry;
    this.health = health;
  }

  /**
   * Starts to listen, for every client.
   *
   * @param key the configuration key of the address, named in the error if the port is taken
   * @throws StartFailure if it cannot listen on the address
   */
  public static AdminServer start(
      String key, ListenAddress listen, Telemetry telemetry, Supplier<Health> health) {
    return start(AdminAddress.plain(key, listen), Gate.OPEN, telemetry, health);
  }

  /**
   * Starts to listen.
   *
   * @param gate who may ask, except for {@code /livez}, {@code /readyz} and other open routes
   * @throws StartFailure if it cannot listen on the address
   */
  public static AdminServer start(
      AdminAddress address, Gate gate, Telemetry telemetry, Supplier<Health> health) {
    var routes = new RouteTable(address, gate);
    AdminServer admin = new AdminServer(bind(address), routes, telemetry, health);
    admin.open("/livez", admin::live);
    admin.open("/readyz", admin::ready);
    admin.route("/health", admin::health);
    admin.route(
        "/metrics",
        exchange ->
            answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", telemetry.scrape()));
    admin.server.createContext("/", routes);
    admin.server.setExecutor(admin.threads);
    admin.server.start();
    return admin;
  }

  /**
   * Adds a route for GET and HEAD; may be called while the server runs. Only this exact path is
   * served, unless it ends with a slash: then every path below it is served too. The gate decides
   * who reaches the handler. The handler may throw {@link HttpProblem}; any other exception is
   * logged and answered with 500.
   */
  public void route(String path, HttpHandler handler) {
    routes.add("GET", path, false, handler);
  }

  /** Adds a route for POST, as {@link #route}. */
  public void post(String path, HttpHandler handler) {
    routes.add("POST", path, false, handler);
  }

  /** Adds a route for GET and HEAD that the gate does not guard. */
  public void open(String path, HttpHandler handler) {
    routes.add("GET", path, true, handler);
  }

  /** Adds a route for POST that the gate does not guard; the rule on Origin applies. */
  public void openPost(String path, HttpHandler handler) {
    routes.add("POST", path, true, handler);
  }

  /**
   * Whether further routes follow. Meanwhile a path without a route is 503 and not 404, so that a
   * browser or a program tries again instead of giving up.
   */
  public void starting(boolean routesFollow) {
    routes.starting(routesFollow);
  }

  /** Each route as its method and path, for example {@code GET /livez}, sorted. */
  public List<String> routes() {
    return routes.names();
  }

  /**
   * The server's address, for example {@code http://127.0.0.1:8321}; with the machine's name where
   * it listens on all addresses.
   */
  public String url() {
    InetAddress address = server.getAddress().getAddress();
    String host = address.isAnyLocalAddress() ? ListenAddress.machine() : address.getHostAddress();
    return (server instanceof HttpsServer ? "https://" : "http://")
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + port();
  }

  /** The port it listens on. */
  public int port() {
    return server.getAddress().getPort();
  }

  /**
   * Writes a complete response; for handlers of further routes.
   *
   * @throws IOException if the client does not take it in time
   */
  public static void answer(HttpExchange exchange, int status, String contentType, String body)
      throws IOException {
    answer(exchange, status, contentType, body, WRITE_LIMIT);
  }

  static void answer(
      HttpExchange exchange, int status, String contentType, String body, Duration limit)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", contentType);
    boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, head || bytes.length == 0 ? -1 : bytes.length);
    if (!head) {
      BoundedWrite.write(exchange.getResponseBody(), bytes, limit);
    }
  }

  /**
   * Writes a part of a stream.
   *
   * @throws IOException if the client does not take it in time, or has closed
   */
  public static void write(OutputStream out, String text) throws IOException {
    BoundedWrite.write(out, text.getBytes(StandardCharsets.UTF_8), WRITE_LIMIT);
  }

  /** The current answer of {@code /health}. */
  public HealthReport report() {
    return HealthReport.of(
        health.get(),
        (long) telemetry.gauge(Metric.SESSIONS_LIVE).orElse(0),
        (long) telemetry.gauge(Metric.SESSIONS_CAP).orElse(0),
        MachineLoad.now(),
        (long) telemetry.gauge(Metric.RUNNER_PROCESSES).orElse(0));
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

  private static HttpServer bind(AdminAddress address) {
    String key = address.key();
    try {
      SSLContext tls = address.tls();
      if (tls == null) {
        return HttpServer.create(address.listen().socket(), BACKLOG);
      }
      HttpsServer secure = HttpsServer.create(address.listen().socket(), BACKLOG);
      secure.setHttpsConfigurator(new HttpsConfigurator(tls));
      return secure;
    } catch (IOException e) {
      throw new StartFailure(
          key
              + " "
              + address.listen()
              + " cannot be listened on ("
              + e.getMessage()
              + "): free the port or set "
              + key
              + " to another, port 0 takes any free one",
          e);
    }
  }
}
