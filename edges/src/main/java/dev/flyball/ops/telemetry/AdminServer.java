package dev.flyball.ops.telemetry;

import com.sun.net.httpserver.Headers;
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
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
    admin.open("/livez", exchange -> admin.probe(exchange, Health::live));
    admin.open("/readyz", exchange -> admin.probe(exchange, Health::ready));
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

  private void probe(HttpExchange exchange, Predicate<Health> passes) throws IOException {
    Health now = health.get();
    boolean ok = passes.test(now);
    answer(exchange, ok ? 200 : 503, TEXT, (ok ? "ok" : String.join("\n", now.reasons())) + "\n");
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

  /**
   * Writes to a client that may not read. The JDK's server has no limit for this, so such a client
   * would hold its answer in memory and its thread for as long as it likes. Any thread.
   */
  static final class BoundedWrite {
    /** The server keeps a buffer of twice the size of the largest write for each connection. */
    private static final int CHUNK = 16 * 1024;

    private static final ScheduledThreadPoolExecutor TIMER = timer();

    private BoundedWrite() {}

    /**
     * Writes all bytes.
     *
     * @param limit when the writing thread is interrupted, which closes the connection
     * @throws IOException if the client does not take them in time
     */
    static void write(OutputStream out, byte[] bytes, Duration limit) throws IOException {
      Thread writer = Thread.currentThread();
      var decided = new AtomicBoolean();
      Future<?> end =
          TIMER.schedule(
              () -> {
                if (decided.compareAndSet(false, true)) {
                  writer.interrupt();
                }
              },
              limit.toMillis(),
              TimeUnit.MILLISECONDS);
      try {
        for (int from = 0; from < bytes.length; from += CHUNK) {
          out.write(bytes, from, Math.min(CHUNK, bytes.length - from));
        }
        // Closing waits for the rest of a request's body; the client need not.
        out.flush();
      } finally {
        end.cancel(false);
        if (!decided.compareAndSet(false, true)) {
          Thread.interrupted();
        }
      }
    }

    private static ScheduledThreadPoolExecutor timer() {
      var timer =
          new ScheduledThreadPoolExecutor(
              1, Thread.ofPlatform().daemon().name("http-write-limit").factory());
      timer.setRemoveOnCancelPolicy(true);
      return timer;
    }
  }

  /**
   * The routes of a server, and what happens to every request before its handler: the rules on Host
   * and Origin, the method, then the gate. Routes are added by any thread while requests are
   * served.
   */
  static final class RouteTable implements HttpHandler {
    private static final Logger LOG = LoggerFactory.getLogger(RouteTable.class);

    /** Nothing may be loaded by a page unless the handler of the page allows more. */
    private static final String POLICY =
        "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private final AdminAddress address;
    private final AdminServer.Gate gate;

    /** By path, then by method; a path that ends with a slash holds for every path below it. */
    private final ConcurrentMap<String, ConcurrentMap<String, Route>> routes =
        new ConcurrentHashMap<>();

    /** Whether further routes follow; written by the thread that adds them, read by requests. */
    private volatile boolean starting;

    /**
     * @param open whether the gate is not asked
     */
    record Route(boolean open, HttpHandler handler) {}

    RouteTable(AdminAddress address, AdminServer.Gate gate) {
      this.address = address;
      this.gate = gate;
    }

    void add(String method, String path, boolean open, HttpHandler handler) {
      routes
          .computeIfAbsent(path, any -> new ConcurrentHashMap<>())
          .put(method, new Route(open, handler));
    }

    /** Whether a path without a route may have one later. */
    void starting(boolean routesFollow) {
      starting = routesFollow;
    }

    /** Each route as its method and path, sorted. */
    List<String> names() {
      var names = new TreeSet<String>();
      routes.forEach(
          (path, methods) -> methods.keySet().forEach(method -> names.add(method + " " + path)));
      return List.copyOf(names);
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
      // The exchange is closed last: closing it before the 500 is written would drop the
      // connection.
      try (exchange) {
        try {
          secure(exchange.getResponseHeaders());
          answer(exchange);
        } catch (HttpProblem problem) {
          write(exchange, problem);
        } catch (RuntimeException e) {
          LOG.warn("cannot answer path={}", exchange.getRequestURI().getPath(), e);
          write(exchange, new HttpProblem(500, "internal error, see the log"));
        }
      }
    }

    private void answer(HttpExchange exchange) throws IOException {
      Map<String, Route> methods = methods(exchange.getRequestURI().getPath());
      Route route = methods == null ? null : methods.get(method(exchange));
      if (!forProbes(exchange, route)) {
        address.rules().check(exchange);
      }
      if (methods == null && starting) {
        // A browser that was opened too early loads the page again by itself.
        exchange.getResponseHeaders().set("Refresh", "2");
        exchange.getResponseHeaders().set("Retry-After", "2");
        throw new HttpProblem(503, "the program is starting; /health says what it waits for");
      }
      if (methods == null) {
        throw new HttpProblem(404, "there is nothing at this path");
      }
      if (route == null) {
        String allowed = String.join(", ", new TreeSet<>(methods.keySet()));
        exchange.getResponseHeaders().set("Allow", allowed.replace("GET", "GET, HEAD"));
        throw new HttpProblem(405, "only " + allowed);
      }
      if (route.open() || gate.admits(exchange)) {
        route.handler().handle(exchange);
      }
    }

    /** Probes of another machine call a server by whatever address they have for it. */
    private boolean forProbes(HttpExchange exchange, @Nullable Route route) {
      return route != null
          && route.open()
          && address.rules().local()
          && method(exchange).equals("GET");
    }

    private @Nullable Map<String, Route> methods(@Nullable String path) {
      if (path == null) {
        return null;
      }
      Map<String, Route> exact = routes.get(path);
      for (int end = path.length(); exact == null && end > 0; ) {
        end = path.lastIndexOf('/', end - 1);
        exact = end < 0 ? null : routes.get(path.substring(0, end + 1));
      }
      return exact;
    }

    private static String method(HttpExchange exchange) {
      String method = exchange.getRequestMethod();
      return method.equals("HEAD") ? "GET" : method;
    }

    private void secure(Headers headers) {
      headers.set("X-Content-Type-Options", "nosniff");
      headers.set("Cache-Control", "no-store");
      headers.set("Content-Security-Policy", POLICY);
      // With no-referrer browsers send Origin: null with a form, which looks like a foreign
      // page's (https://fetch.spec.whatwg.org/#append-a-request-origin-header).
      headers.set("Referrer-Policy", "same-origin");
      headers.set("X-Frame-Options", "DENY");
      headers.set("Cross-Origin-Opener-Policy", "same-origin");
      headers.set("Cross-Origin-Resource-Policy", "same-origin");
      if (address.tls() != null) {
        headers.set("Strict-Transport-Security", "max-age=31536000");
      }
    }

    private static void write(HttpExchange exchange, HttpProblem problem) throws IOException {
      // A handler that failed in the middle of its answer cannot start another one.
      if (exchange.getResponseCode() == -1) {
        problem.write(exchange);
      }
    }
  }
}
