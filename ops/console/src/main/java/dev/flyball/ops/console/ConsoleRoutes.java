package dev.flyball.ops.console;

import static java.util.Map.entry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.operate.ScopeChange;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.HttpProblem;
import dev.flyball.ops.telemetry.RequestBody;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * The console's JSON. Each request opens the projection's file itself, as the command line does,
 * which asks the same questions of it.
 */
public final class ConsoleRoutes {
  /** How many items match, whatever the limit of the rows. */
  private static final String TOTAL = "X-Total-Count";

  /** Most rows of one answer. */
  private static final int MOST_ROWS = 10_000;

  private final ConsoleConfig config;
  private final ConsoleAccess access;
  private final InstantSource clock;

  /** Each answer is in memory until its client has read it. */
  private final Semaphore reads = new Semaphore(32);

  /** Answers of up to ten thousand rows, several MB each. */
  private final Semaphore largeReads = new Semaphore(4);

  ConsoleRoutes(ConsoleConfig config, ConsoleAccess access, InstantSource clock) {
    this.config = config;
    this.access = access;
    this.clock = clock;
  }

  /** What a viewer is answered: it is written as JSON, and 404 if it is empty. */
  public interface Answer {
    /**
     * The answer to a question with these fields.
     *
     * @throws IllegalArgumentException with one line, if a field has a value that is not allowed
     */
    Object of(ConsoleView view, Map<String, String> query);
  }

  /** A part of the items that match, and how many match. */
  public record Counted(List<ItemRow> rows, long total) {}

  /**
   * The answers by the names of their questions.
   *
   * @param now the time that they describe
   */
  public static Map<String, Answer> answers(ConsoleConfig config, InstantSource now) {
    return Map.ofEntries(
        entry("ps", (view, query) -> view.ps(now.instant(), config.wallClock())),
        entry("summary", (view, query) -> view.summary()),
        entry("items", ConsoleRoutes::items),
        entry("keys", (view, query) -> view.keysOf(id(query))),
        entry("item", (view, query) -> view.item(key(query))),
        entry("why", (view, query) -> view.why(key(query), now.instant(), config.reserves())),
        entry("analysis", (view, query) -> view.analysis(key(query))),
        entry("sessions", (view, query) -> view.ended(limit(query), query.get("after"))),
        entry("dead-letters", ConsoleRoutes::deadLetters),
        entry("actions", (view, query) -> view.actions(limit(query), query.get("after"))),
        entry("sources", (view, query) -> view.sources()),
        entry("polls", ConsoleRoutes::polls),
        entry("spend", (view, query) -> view.spend(now.instant())),
        entry("budget", (view, query) -> view.budget(scope(query), now.instant())),
        entry("caps", (view, query) -> view.caps()));
  }

  void attach(AdminServer server) {
    answers(config, clock).forEach((name, answer) -> server.route("/api/" + name, viewing(answer)));
  }

  private static Counted items(ConsoleView view, Map<String, String> query) {
    var filter = ItemFilter.of(query, limit(query));
    return new Counted(view.items(filter), view.count(filter));
  }

  private static List<DeadLetterRow> deadLetters(ConsoleView view, Map<String, String> query) {
    String after = query.get("after");
    if (after != null && !DeadLetterRow.isPlace(after)) {
      throw new HttpProblem(422, "after is no place in a list of dead letters");
    }
    return view.deadLetters(limit(query), after);
  }

  private static Object polls(ConsoleView view, Map<String, String> query) {
    String source = query.get("source");
    if (source != null && !source.contains("/")) {
      throw new HttpProblem(422, "source is not tenant/source");
    }
    return view.polls(source, limit(query));
  }

  /**
   * The session that a question about output names: by the beginning of its id, or by its item;
   * empty if there is none.
   *
   * @throws HttpProblem if it names none or several
   */
  public static Optional<KnownSession> session(ConsoleView view, Map<String, String> query) {
    String prefix = query.getOrDefault("session", "");
    String item = query.getOrDefault("item", "");
    if (prefix.isEmpty() == item.isEmpty()) {
      throw new HttpProblem(422, "name a session, or an item for its newest session");
    }
    if (prefix.isEmpty()) {
      return view.newestSession(item);
    }
    List<KnownSession> found = view.sessions(prefix);
    if (found.size() > 1) {
      throw new HttpProblem(
          422, "several sessions begin with '" + prefix + "'; give more characters of the id");
    }
    return found.stream().findFirst();
  }

  private static String scope(Map<String, String> query) {
    String scope = query.getOrDefault("scope", Scope.GLOBAL);
    ScopeChange.requireScope(scope);
    return scope;
  }

  private static String id(Map<String, String> query) {
    String id = query.getOrDefault("id", "");
    if (id.isEmpty()) {
      throw new HttpProblem(422, "id is missing");
    }
    return id;
  }

  /** The key that is asked for; no item has an empty one. */
  private static String key(Map<String, String> query) {
    return query.getOrDefault("key", "");
  }

  private static int limit(Map<String, String> query) {
    String limit = query.getOrDefault("limit", String.valueOf(ItemFilter.DEFAULT_LIMIT));
    return limit.matches("[1-9][0-9]{0,9}")
        ? (int) Math.min(Long.parseLong(limit), Integer.MAX_VALUE)
        : 0;
  }

  private HttpHandler viewing(Answer answer) {
    return exchange -> {
      Viewer viewer = access.viewer(exchange);
      Map<String, String> query = RequestBody.query(exchange);
      if (limit(query) < 1 || limit(query) > MOST_ROWS) {
        throw new HttpProblem(422, "limit must be a whole number from 1 to " + MOST_ROWS);
      }
      Semaphore places = limit(query) > ItemFilter.DEFAULT_LIMIT ? largeReads : reads;
      if (!places.tryAcquire()) {
        exchange.getResponseHeaders().set("Retry-After", "1");
        throw new HttpProblem(429, "too many reads at the same time; repeat it, or lower limit");
      }
      try (ConsoleView view = config.view(viewer)) {
        write(exchange, answer.of(view, query));
      } catch (IllegalArgumentException e) {
        throw new HttpProblem(422, String.valueOf(e.getMessage()));
      } finally {
        places.release();
      }
    };
  }

  private static void write(HttpExchange exchange, Object answer) throws IOException {
    Object json =
        switch (answer) {
          case Optional<?> found ->
              found.orElseThrow(() -> new HttpProblem(404, "there is nothing under this key"));
          case Counted items -> {
            exchange.getResponseHeaders().set(TOTAL, String.valueOf(items.total()));
            yield items.rows();
          }
          default -> answer;
        };
    AdminServer.answer(exchange, 200, "application/json", RecordJson.write(json) + "\n");
  }
}
