package dev.flyball.ops.telemetry;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes of a server, and what happens to every request before its handler: the rules on Host
 * and Origin, the method, then the gate. Routes are added by any thread while requests are served.
 */
final class RouteTable implements HttpHandler {
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
    // The exchange is closed last: closing it before the 500 is written would drop the connection.
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
