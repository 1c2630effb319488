package dev.flyball.ops.console;

import com.sun.net.httpserver.HttpExchange;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.text.Sha256;
import dev.flyball.kafka.BrokerUnreachable;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.operate.ItemAction;
import dev.flyball.ops.console.output.SessionOutput;
import dev.flyball.ops.console.output.SessionOutput.OutputLine;
import dev.flyball.ops.console.output.SessionOutput.OutputPart;
import dev.flyball.ops.console.output.SessionOutput.Place;
import dev.flyball.ops.console.page.Display;
import dev.flyball.ops.console.page.HistoryPage;
import dev.flyball.ops.console.page.HistoryPage.HistoryRange;
import dev.flyball.ops.console.page.ItemPage;
import dev.flyball.ops.console.page.ItemsPage;
import dev.flyball.ops.console.page.NowPage;
import dev.flyball.ops.console.page.OlderRows;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.OperatorAction;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.HttpProblem;
import dev.flyball.ops.telemetry.RequestBody;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * The console's pages. They only read; what changes anything is a form that posts to {@code
 * /actions/}. Each request opens the projection's file itself.
 */
final class PageRoutes {
  /** A page of each open browser holds one; a further one reads without. */
  private static final int STREAMS = 200;

  /** Waiting items whose reasons the first view shows: each reads the ledger. */
  private static final int NEXT = 5;

  /** Polls of one source that are listed; as many are kept. */
  private static final int POLLS_SHOWN = 100;

  /** What may be done with all items that match. */
  private static final Set<String> BULK = Set.of("cancel", "retry", "skip");

  private final ConsoleConfig config;
  private final InstantSource clock;
  private final Map<String, String> repositories;

  private PageRoutes(ConsoleConfig config, InstantSource clock, Map<String, String> repositories) {
    this.config = config;
    this.clock = clock;
    this.repositories = Map.copyOf(repositories);
  }

  /**
   * Adds the pages to a server.
   *
   * @param viewers who sends a request; decides what pages show and offer
   * @param broker the address of Kafka that readers use
   * @param repositories the URL of the repository of each source that has one, by {@code
   *     tenant/source}
   * @param commits how often the projection was changed
   */
  static void attach(
      AdminServer server,
      ConsoleConfig config,
      InstantSource clock,
      KafkaSettings kafka,
      Function<HttpExchange, Viewer> viewers,
      String broker,
      Map<String, String> repositories,
      LongSupplier commits) {
    var frame = new PageFrame(config, clock, viewers, kafka.topics(), broker, server::report);
    var logs = new LogRoutes(config, new KafkaClients(kafka, "console-log"));
    var routes = new PageRoutes(config, clock, repositories);
    Map<String, PageFrame.Page> pages =
        Map.of(
            "/", routes::now,
            "/items", routes::items,
            "/item", routes::item,
            "/history", routes::sessions,
            "/history/polls", routes::polls,
            "/history/dead-letters", routes::deadLetters,
            "/history/actions", routes::actions,
            "/log", logs::answer);
    pages.forEach((path, page) -> server.route(path, frame.page(path, page)));
    server.route("/api/log", exchange -> logs.part(exchange, viewers.apply(exchange)));
    server.route(
        "/events", new ChangeStreams(commits, STREAMS, viewers, ChangeStreams.KEEP_ALIVE)::answer);
    server.open(StaticFiles.PATH, new StaticFiles()::answer);
  }

  private void now(PageFrame.Request request, ConsoleView view) throws IOException {
    Instant now = clock.instant();
    List<RunningSession> live = view.ps(now, config.wallClock());
    var page =
        new NowPage(
            view.summary(),
            live,
            view.next(NEXT, now, config.reserves()),
            view.sources(),
            view.givenUp(now.minus(Duration.ofDays(1))),
            view.totals(now.minus(Duration.ofHours(1))),
            view.caps(),
            view.spend(now),
            view.windows("1h", now.truncatedTo(ChronoUnit.DAYS)).stream()
                .mapToLong(MetricWindow::savedMicros)
                .sum(),
            request.number("page"),
            now);
    if (request.partOnly()) {
      request.fragment("live", Map.of("page", page));
    } else {
      request.answer("now", "Now", 5, Map.of("page", page));
    }
  }

  private void items(PageFrame.Request request, ConsoleView view) throws IOException {
    ItemFilter filter = ItemsPage.filter(request.query());
    List<ItemRow> found = view.items(filter);
    var page =
        new ItemsPage(
            filter,
            found,
            view.count(filter),
            view.summary().items(),
            found.isEmpty() ? view.sources() : List.of(),
            clock.instant());
    boolean all = page.selects(ItemAction.MOST) && page.changedBy(request.viewer());
    String action = request.value("confirm");
    if (all && BULK.contains(action)) {
      String digest = ActionRoutes.digest(ActionRoutes.matching(view, filter));
      request.answer(
          "confirm", "Confirm", 0, Map.of("page", page, "action", action, "digest", digest));
    } else {
      request.answer("items", "Items", 0, Map.of("page", page, "all", all));
    }
  }

  private void item(PageFrame.Request request, ConsoleView view) throws IOException {
    String key = request.value("key");
    Instant now = clock.instant();
    Optional<ItemStory> story = view.item(key);
    if (story.isEmpty()) {
      request.failure(404, "No such item", "No item that you may see has this key.");
      return;
    }
    var page =
        new ItemPage(
            key,
            story.get(),
            repository(story.get()),
            config.traceLink(),
            view.why(key, now, config.reserves()).orElse(null),
            view.analysis(key).orElse(null),
            view.ps(now, config.wallClock()).stream()
                .filter(it -> it.item().equals(key))
                .findFirst()
                .orElse(null),
            view.endedOf(key),
            now);
    if (request.partOnly()) {
      request.fragment("itemlive", Map.of("page", page));
    } else {
      int refresh = page.live() == null ? 0 : 5;
      request.answer("item", page.title(), refresh, Map.of("page", page));
    }
  }

  /** The repository of the source that an items file names, else of the one that was polled. */
  private @Nullable String repository(ItemStory story) {
    ItemRow row = story.item();
    return row == null || story.state() == null
        ? null
        : repositories.getOrDefault(
            ItemKey.parse(row.key()).sourceKey(),
            repositories.get(story.state().path("snapshot").path("polledBy").asText()));
  }

  private void sessions(PageFrame.Request request, ConsoleView view) throws IOException {
    Instant now = clock.instant();
    HistoryRange range = HistoryRange.of(request.value("range"));
    Instant since = now.minus(range.span());
    var page =
        new HistoryPage(
            range,
            view.windows(range.size(), since),
            OlderRows.of(
                view.ended(OlderRows.ASKED, request.after()),
                request.path() + "?range=" + range.label(),
                request.after(),
                EndedSession::session),
            view.totals(since),
            view.spend(now),
            view.summary().deadLetters());
    request.answer("history", "History", 0, Map.of("page", page));
  }

  private void polls(PageFrame.Request request, ConsoleView view) throws IOException {
    String source = request.value("source");
    request.answer(
        "polls",
        "Polls",
        5,
        Map.of(
            "sources",
            view.sources(),
            "selected",
            source,
            "polls",
            source.isEmpty() ? List.of() : view.polls(source, POLLS_SHOWN),
            "now",
            clock.instant()));
  }

  private void deadLetters(PageFrame.Request request, ConsoleView view) throws IOException {
    List<DeadLetterRow> found = view.deadLetters(OlderRows.ASKED, request.after());
    var page = OlderRows.of(found, request.path(), request.after(), DeadLetterRow::place);
    long total = view.summary().deadLetters();
    request.answer("deadletters", "Dead letters", 0, Map.of("page", page, "total", total));
  }

  private void actions(PageFrame.Request request, ConsoleView view) throws IOException {
    List<OperatorAction> found = view.actions(OlderRows.ASKED, request.after());
    var page = OlderRows.of(found, request.path(), request.after(), OperatorAction::id);
    request.answer("actions", "Actions", 0, Map.of("page", page));
  }

  /**
   * Style sheet and scripts, ours and the vendored ones. A browser asks again each time and gets
   * 304 while they are unchanged, so an upgrade never meets old scripts.
   */
  static final class StaticFiles {
    /** Below this path. */
    static final String PATH = "/static/";

    private static final Map<String, String> TYPES =
        Map.of(
            "console.css", "text/css; charset=utf-8",
            "uplot-1.6.32.min.css", "text/css; charset=utf-8",
            "console.js", "text/javascript; charset=utf-8",
            "htmx-2.0.11.min.js", "text/javascript; charset=utf-8",
            "htmx-ext-sse-2.2.4.min.js", "text/javascript; charset=utf-8",
            "uplot-1.6.32.iife.min.js", "text/javascript; charset=utf-8",
            "mark.svg", "image/svg+xml");

    private final Map<String, String> texts =
        TYPES.keySet().stream().collect(Collectors.toMap(name -> name, StaticFiles::read));

    /** Answers one file; 404 for any other name. */
    void answer(HttpExchange exchange) throws IOException {
      String name = exchange.getRequestURI().getPath().substring(PATH.length());
      String text = texts.get(name);
      if (text == null) {
        AdminServer.answer(exchange, 404, "text/plain; charset=utf-8", "not found\n");
        return;
      }
      String tag = '"' + Sha256.hex(text, 12) + '"';
      var headers = exchange.getResponseHeaders();
      headers.set("ETag", tag);
      headers.set("X-Content-Type-Options", "nosniff");
      headers.set("Cache-Control", "no-cache");
      if (tag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
        exchange.sendResponseHeaders(304, -1);
        return;
      }
      AdminServer.answer(exchange, 200, Objects.requireNonNull(TYPES.get(name)), text);
    }

    private static String read(String name) {
      try (InputStream file = StaticFiles.class.getResourceAsStream("static/" + name)) {
        return new String(
            Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * A session's output: the newest lines as a page, those that follow as parts of it, and both for
   * programs. Each reader holds a Kafka consumer, so their number is bounded. Any thread.
   */
  static final class LogRoutes {
    private static final int READERS = 16;
    private static final String SHARED = ", at most " + READERS + " are read";
    private static final int NEWEST = 500;

    private static final Duration READ = Duration.ofSeconds(5);

    private final ConsoleConfig config;
    private final KafkaClients clients;
    private final Semaphore readers = new Semaphore(READERS);

    LogRoutes(ConsoleConfig config, KafkaClients clients) {
      this.config = config;
      this.clients = clients;
    }

    /**
     * Answers the page of a session. Where a place to {@code follow} is in the query, it answers
     * the lines after it as soon as there are any; a page asks for them again and again.
     */
    void answer(PageFrame.Request request, ConsoleView view) throws IOException {
      List<KnownSession> known = view.sessions(request.value("session"));
      if (known.size() != 1) {
        request.failure(404, "No such session", "No session that you may see has this id.");
        return;
      }
      KnownSession session = known.getFirst();
      boolean follows = request.query().containsKey("follow");
      Place from = Place.parse(request.value("follow")).orElse(null);
      if (!readers.tryAcquire()) {
        request.exchange().getResponseHeaders().set("Retry-After", "30");
        request.failure(503, "Too many logs are open", "Close one" + SHARED + ".");
        return;
      }
      var lines = new ArrayDeque<OutputLine>();
      long count = 0;
      String place = "";
      boolean more = session.live();
      String problem = "";
      try (var output = SessionOutput.open(clients, session, from)) {
        long until = System.nanoTime() + READ.toNanos();
        OutputPart part;
        do {
          part = output.part(session, follows);
          for (OutputLine line : part.lines()) {
            // Cut before it is kept: a page has many lines, and one may have 64 Ki characters.
            String text = Display.line(line.line(), Display.LINE);
            lines.add(new OutputLine(line.at(), line.stream(), text));
            if (lines.size() > NEWEST) {
              lines.remove();
            }
          }
          count += part.lines().size();
        } while (part.more() && System.nanoTime() < until);
        place = part.next();
        more |= part.more() && follows;
      } catch (KafkaException | BrokerUnreachable e) {
        problem = String.valueOf(e.getMessage());
      } finally {
        readers.release();
      }
      // The beginning of the id, which commands take.
      String name = OneLine.start(Display.line(session.session(), Display.TITLE), 8);
      Map<String, Object> page =
          Map.of(
              "session", session,
              "id", session.session(),
              "name", name,
              "lines", List.copyOf(lines),
              "count", count,
              "place", place,
              "more", more,
              "problem", problem);
      if (!follows) {
        request.answer("log", "Log of " + name, session.live() ? 5 : 0, page);
      } else if (problem.isEmpty()) {
        request.fragment("lines", page);
      } else {
        request.failure(503, "The output cannot be read", problem);
      }
    }

    /** Answers a part of a session's output as JSON, for programs. */
    void part(HttpExchange exchange, Viewer viewer) throws IOException {
      Map<String, String> query = RequestBody.query(exchange);
      String after = query.get("after");
      Place from =
          after == null
              ? null
              : Place.parse(after)
                  .orElseThrow(() -> new HttpProblem(422, "after is no place in an output"));
      KnownSession session;
      try (ConsoleView view = config.view(viewer)) {
        session =
            ConsoleRoutes.session(view, query)
                .orElseThrow(() -> new HttpProblem(404, "there is no such session"));
      }
      if (!readers.tryAcquire()) {
        exchange.getResponseHeaders().set("Retry-After", "30");
        throw new HttpProblem(503, "too many logs are open; close one" + SHARED);
      }
      OutputPart part;
      try (var output = SessionOutput.open(clients, session, from)) {
        part = output.part(session, query.containsKey("wait"));
      } catch (KafkaException | BrokerUnreachable e) {
        throw new HttpProblem(503, "Kafka does not answer: " + e.getMessage());
      } finally {
        readers.release();
      }
      AdminServer.answer(exchange, 200, "application/json", RecordJson.write(part) + "\n");
    }
  }
}
