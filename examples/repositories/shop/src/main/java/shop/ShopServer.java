package shop;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** Listens, finds the route of a request and writes its answer. */
public final class ShopServer {
  private final Map<String, Function<String, String>> routes = new TreeMap<>();
  private final HttpServer server;

  public ShopServer(Settings settings) throws IOException {
    server = HttpServer.create(new InetSocketAddress(settings.number("server.port")), 0);
    server.setExecutor(Executors.newFixedThreadPool(settings.number("server.threads")));
    server.createContext("/", this::handle);
  }

  public void route(String path, Function<String, String> page) {
    routes.put(path, page);
  }

  public void start() {
    server.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    Function<String, String> page = routes.get(exchange.getRequestURI().getPath());
    if (page == null) {
      send(exchange, 404, "There is no such page.");
      return;
    }
    try {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      send(exchange, 200, page.apply(body));
    } catch (RuntimeException e) {
      System.err.println("request failed: " + exchange.getRequestURI() + " " + e);
      send(exchange, 500, "Something went wrong. Please try again.");
    }
  }

  private static void send(HttpExchange exchange, int status, String page) throws IOException {
    byte[] bytes = page.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/html");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
