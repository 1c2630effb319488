package dev.flyball.ops.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.access.ViewerPlaces;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.HttpProblem;
import dev.flyball.ops.telemetry.RequestBody;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The console's JSON. Each request opens the projection's file itself, as the command line does.
 */
final class ConsoleRoutes {
  /** How many items match, whatever the limit of the rows. */
  private static final String TOTAL = "X-Total-Count";

  /** Most rows of one answer. */
  private static final int MOST_ROWS = 10_000;

  private final ConsoleConfig config;
  private final ConsoleAccess access;
  private final InstantSource clock;

  /** Each answer is in memory until its client has read it. */
  private final ViewerPlaces reads = new ViewerPlaces(32);

  /** Answers of up to ten thousand rows, several MB each. */
  private final ViewerPlaces largeReads = new ViewerPlaces(4);

  ConsoleRoutes(ConsoleConfig config, ConsoleAccess access, InstantSource clock) {
    this.config = config;
    this.access = access;
    this.clock = clock;
  }

  void attach(AdminServer server) {
    server.route(
        "/api/ps",
        viewing((exchange, view) -> json(exchange, view.ps(clock.instant(), config.wallClock()))));
    server.route("/api/summary", viewing((exchange, view) -> json(exchange, view.summary())));
    server.route("/api/items", viewing(this::items));
    server.route("/api/keys", viewing(this::keys));
    server.route(
        "/api/item", viewing((exchange, view) -> one(exchange, key(exchange).flatMap(view::item))));
    server.route(
        "/api/why",
        viewing((exchange, view) -> one(exchange, key(exchange).flatMap(key -> why(view, key)))));
    server.route(
        "/api/analysis",
        viewing((exchange, view) -> one(exchange, key(exchange).flatMap(view::analysis))));
    server.route("/api/sessions", listed(ConsoleView::ended));
    server.route("/api/dead-letters", listed(ConsoleRoutes::deadLetters));
    server.route("/api/actions", listed(ConsoleView::actions));
    server.route("/api/sources", viewing((exchange, view) -> json(exchange, view.sources())));
    server.route("/api/polls", viewing(ConsoleRoutes::polls));
    server.route(
        "/api/spend", viewing((exchange, view) -> json(exchange, view.spend(clock.instant()))));
    server.route("/api/caps", viewing((exchange, view) -> json(exchange, view.caps())));
  }

  private Optional<ItemStatus> why(ConsoleView view, String key) {
    return view.why(key, clock.instant(), config.reserves());
  }

  private void items(HttpExchange exchange, ConsoleView view) throws IOException {
    Map<String, String> query = RequestBody.query(exchange);
    String state = query.get("state");
    if (state != null && !ItemFilter.STATES.contains(state)) {
      throw new HttpProblem(
          422, "there is no such state; allowed are " + String.join(", ", ItemFilter.STATES));
    }
    String after = query.get("after");
    if (after != null && !ItemFilter.isPlace(after)) {
      throw new HttpProblem(422, "after is no place in a list of items");
    }
    var filter =
        new ItemFilter(
            state,
            query.get("tenant"),
            query.get("source"),
            query.get("text"),
            after,
            limit(query));
    exchange.getResponseHeaders().set(TOTAL, String.valueOf(view.count(filter)));
    json(exchange, view.items(filter));
  }

  private static int limit(Map<String, String> query) {
    String limit = query.getOrDefault("limit", String.valueOf(ItemFilter.DEFAULT_LIMIT));
    if (!limit.matches("[1-9][0-9]{0,4}") || Integer.parseInt(limit) > MOST_ROWS) {
      throw new HttpProblem(422, "limit must be a whole number from 1 to " + MOST_ROWS);
    }
    return Integer.parseInt(limit);
  }

  /** A list that begins with the newest row. */
  private interface Listed {
    List<?> rows(ConsoleView view, int limit, @Nullable String after);
  }

  private HttpHandler listed(Listed list) {
    return viewing((exchange, view) -> {
      Map<String, String> query = RequestBody.query(exchange);
      json(exchange, list.rows(view, limit(query), query.get("after")));
    });
  }

  private static List<DeadLetterRow> deadLetters(
      ConsoleView view, int limit, @Nullable String after) {
    if (after != null && !DeadLetterRow.isPlace(after)) {
      throw new HttpProblem(422, "after is no place in a list of dead letters");
    }
    return view.deadLetters(limit, after);
  }

  private static void polls(HttpExchange exchange, ConsoleView view) throws IOException {
    Map<String, String> query = RequestBody.query(exchange);
    String source = query.get("source");
    if (source != null && !source.contains("/")) {
      throw new HttpProblem(422, "source is not tenant/source");
    }
    json(exchange, view.polls(source, limit(query)));
  }

  private void keys(HttpExchange exchange, ConsoleView view) throws IOException {
    String id = RequestBody.query(exchange).get("id");
    if (id == null || id.isEmpty()) {
      throw new HttpProblem(422, "id is missing");
    }
    json(exchange, view.keysOf(id));
  }

  private HttpHandler viewing(Answer answer) {
    return exchange -> {
      Viewer viewer = access.viewer(exchange);
      ViewerPlaces places = large(exchange) ? largeReads : reads;
      if (!places.take(viewer)) {
        exchange.getResponseHeaders().set("Retry-After", "1");
        throw new HttpProblem(429, "too many reads at the same time; repeat it, or lower limit");
      }
      try {
        answer(exchange, viewer, answer);
      } finally {
        places.give(viewer);
      }
    };
  }

  /** Whether its answer may have more rows than lists have unless asked. */
  private static boolean large(HttpExchange exchange) {
    String limit = RequestBody.query(exchange).getOrDefault("limit", "");
    return limit.matches("[0-9]{4,5}") && Integer.parseInt(limit) > ItemFilter.DEFAULT_LIMIT;
  }

  private void answer(HttpExchange exchange, Viewer viewer, Answer answer) throws IOException {
    try (ConsoleView view = config.view(viewer)) {
      answer.write(exchange, view);
    }
  }

  private static Optional<String> key(HttpExchange exchange) {
    return Optional.ofNullable(RequestBody.query(exchange).get("key"));
  }

  private static void one(HttpExchange exchange, Optional<?> answer) throws IOException {
    if (answer.isEmpty()) {
      throw new HttpProblem(404, "there is nothing under this key");
    }
    json(exchange, answer.get());
  }

  private static void json(HttpExchange exchange, Object answer) throws IOException {
    AdminServer.answer(exchange, 200, "application/json", RecordJson.write(answer) + "\n");
  }

  private interface Answer {
    void write(HttpExchange exchange, ConsoleView view) throws IOException;
  }
}
