package dev.flyball.ops.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.page.StatusPage;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.telemetry.AdminServer;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The console's page and its JSON. Each request opens the projection's file itself, as the command
 * line does.
 */
final class ConsoleRoutes {
  private static final int RECENT = 20;
  private static final String POLICY =
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors"
          + " 'none'";

  private final ConsoleConfig config;
  private final InstantSource clock;

  ConsoleRoutes(ConsoleConfig config, InstantSource clock) {
    this.config = config;
    this.clock = clock;
  }

  void attach(AdminServer server) {
    server.route("/", this::root);
    server.route("/style.css", exchange -> page(exchange, 200, "text/css", StatusPage.STYLE));
    server.route("/item", viewing(this::itemPage));
    server.route(
        "/api/ps",
        viewing((exchange, view) -> json(exchange, view.ps(clock.instant(), config.wallClock()))));
    server.route("/api/summary", viewing((exchange, view) -> json(exchange, view.summary())));
    server.route("/api/items", viewing(this::items));
    server.route(
        "/api/item", viewing((exchange, view) -> one(exchange, key(exchange).flatMap(view::item))));
    server.route(
        "/api/why",
        viewing((exchange, view) -> one(exchange, key(exchange).flatMap(key -> why(view, key)))));
    server.route(
        "/api/analysis",
        viewing((exchange, view) -> one(exchange, key(exchange).flatMap(view::analysis))));
  }

  private void root(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestURI().getPath().equals("/")) {
      AdminServer.answer(exchange, 404, "text/plain; charset=utf-8", "not found\n");
      return;
    }
    viewing(this::statusPage).handle(exchange);
  }

  private void statusPage(HttpExchange exchange, ConsoleView view) throws IOException {
    var now = clock.instant();
    var page = new StatusPage(now);
    html(
        exchange,
        page.status(
            view.summary(),
            view.ps(now, config.wallClock()),
            view.items(new ItemFilter(null, null, null, 200)),
            view.ended(RECENT)));
  }

  private void itemPage(HttpExchange exchange, ConsoleView view) throws IOException {
    String key = key(exchange).orElse("");
    var story = view.item(key);
    if (story.isEmpty()) {
      page(exchange, 404, "text/plain", "no item '" + key + "'\n");
      return;
    }
    html(
        exchange,
        new StatusPage(clock.instant())
            .item(
                key,
                story.get(),
                why(view, key).map(ItemStatus::reasons).orElse(List.of()),
                view.analysis(key).orElse(null)));
  }

  private Optional<ItemStatus> why(ConsoleView view, String key) {
    return view.why(key, clock.instant(), config.reserves());
  }

  private void items(HttpExchange exchange, ConsoleView view) throws IOException {
    Map<String, String> query = query(exchange);
    json(
        exchange,
        view.items(
            new ItemFilter(
                query.get("state"),
                query.get("tenant"),
                query.get("text"),
                ItemFilter.DEFAULT_LIMIT)));
  }

  private HttpHandler viewing(Answer answer) {
    return exchange -> {
      Optional<ConsoleView> view = ConsoleView.open(config.data());
      if (view.isEmpty()) {
        AdminServer.answer(
            exchange,
            503,
            "text/plain; charset=utf-8",
            "the console has not read Kafka yet; try again in a moment\n");
        return;
      }
      try (ConsoleView open = view.get()) {
        answer.write(exchange, open);
      }
    };
  }

  private static Optional<String> key(HttpExchange exchange) {
    return Optional.ofNullable(query(exchange).get("key"));
  }

  private static Map<String, String> query(HttpExchange exchange) {
    var query = new TreeMap<String, String>();
    String raw = exchange.getRequestURI().getRawQuery();
    for (String pair : raw == null ? new String[0] : raw.split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        query.put(
            pair.substring(0, equals),
            URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
      }
    }
    return query;
  }

  private static void one(HttpExchange exchange, Optional<?> answer) throws IOException {
    if (answer.isPresent()) {
      json(exchange, answer.get());
    } else {
      AdminServer.answer(
          exchange, 404, "application/json", "{\"error\":\"nothing under this key\"}\n");
    }
  }

  private static void json(HttpExchange exchange, Object answer) throws IOException {
    AdminServer.answer(exchange, 200, "application/json", RecordJson.write(answer) + "\n");
  }

  private static void html(HttpExchange exchange, String body) throws IOException {
    page(exchange, 200, "text/html", body);
  }

  private static void page(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Security-Policy", POLICY);
    exchange.getResponseHeaders().set("Referrer-Policy", "no-referrer");
    AdminServer.answer(exchange, status, type + "; charset=utf-8", body);
  }

  private interface Answer {
    void write(HttpExchange exchange, ConsoleView view) throws IOException;
  }
}
