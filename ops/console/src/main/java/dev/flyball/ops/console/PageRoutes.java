package dev.flyball.ops.console;

import com.sun.net.httpserver.HttpExchange;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.operate.OperatorActions;
import dev.flyball.ops.console.page.ItemPage;
import dev.flyball.ops.console.page.ItemsPage;
import dev.flyball.ops.console.page.ItemsQuery;
import dev.flyball.ops.console.page.NowPage;
import dev.flyball.ops.console.page.ScopeLimits;
import dev.flyball.ops.console.page.Spend;
import dev.flyball.ops.console.page.Upcoming;
import dev.flyball.ops.console.page.WaitingRow;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.telemetry.AdminServer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The console's pages. They only read; what changes anything is a form that posts to {@code
 * /actions/}. Each request opens the projection's file itself.
 */
final class PageRoutes {
  /** A page of each open browser holds one; a further one reads without. */
  private static final int STREAMS = 200;

  /** Waiting items whose reasons the first view shows: each reads the ledger. */
  private static final int NEXT = 5;

  /** What may be done with all items that match. */
  private static final Set<String> BULK = Set.of("cancel", "retry", "skip");

  private final ConsoleConfig config;
  private final InstantSource clock;
  private final PageFrame frame;
  private final Topics topics;
  private final ChangeStreams streams;
  private final LogRoutes logs;
  private final Function<HttpExchange, Viewer> viewers;
  private final HistoryRoutes history;

  /**
   * Nothing is served before {@link #attach}.
   *
   * @param viewers who sends a request; decides what pages show and offer
   * @param broker the address of Kafka that readers use
   */
  PageRoutes(
      ConsoleConfig config,
      InstantSource clock,
      KafkaSettings kafka,
      Function<HttpExchange, Viewer> viewers,
      String broker) {
    this.config = config;
    this.clock = clock;
    this.viewers = viewers;
    this.topics = kafka.topics();
    this.frame = new PageFrame(config, clock, viewers, broker);
    this.streams = new ChangeStreams(config.data(), STREAMS, viewers);
    this.history = new HistoryRoutes(topics, clock);
    this.logs = new LogRoutes(config.data(), new KafkaClients(kafka, "console-log"));
  }

  /** Adds the pages to a server. */
  void attach(AdminServer server) {
    frame.health(server::report);
    server.route("/", frame.page("/", this::now));
    server.route("/items", frame.page("/items", this::items));
    server.route("/item", frame.page("/item", this::item));
    history.attach(server, frame);
    server.route("/log", frame.page("/log", logs::answer));
    server.route("/api/log", exchange -> logs.part(exchange, viewers.apply(exchange)));
    server.route("/events", streams::answer);
    server.open(StaticFiles.PATH, new StaticFiles()::answer);
  }

  private void now(PageFrame.Request request, ConsoleView view) throws IOException {
    Instant now = clock.instant();
    List<RunningSession> live = view.ps(now, config.wallClock());
    Summary summary = view.summary();
    var limits = new ScopeLimits(view.caps(), view.spend(now).budgets());
    List<SourceStatus> sources = live.isEmpty() ? view.sources() : List.of();
    var page =
        new NowPage(
            summary,
            live,
            new Upcoming(waiting(view, now), sources, now),
            view.endedSince(now.minus(Duration.ofHours(1))),
            Spend.of(
                view.windows(null, "1h", now.truncatedTo(ChronoUnit.DAYS)),
                summary.costMicros(),
                limits,
                now),
            limits,
            request.number("page"),
            now);
    Map<String, Object> parameters = Map.of("page", page, "topics", topics);
    if (request.value("part").equals("live")) {
      request.fragment("live", parameters);
    } else {
      request.answer("now", "Now", 5, parameters);
    }
  }

  private void items(PageFrame.Request request, ConsoleView view) throws IOException {
    ItemsQuery query = ItemsQuery.of(request.query());
    List<ItemRow> found = view.items(query.filter());
    var page =
        new ItemsPage(
            query,
            found,
            view.count(query.filter()),
            found.isEmpty() ? view.sources() : List.of(),
            clock.instant());
    Map<String, Object> parameters =
        Map.of("page", page, "topics", topics, "most", OperatorActions.MOST);
    String action = request.value("confirm");
    if (BULK.contains(action)
        && page.selects(OperatorActions.MOST)
        && operates(request.viewer(), query.tenant())) {
      String digest = ItemSelection.of(view, query.filter()).digest();
      request.answer(
          "confirm", "Confirm", 0, Map.of("page", page, "action", action, "digest", digest));
    } else {
      request.answer("items", "Items", 0, parameters);
    }
  }

  private static boolean operates(Viewer viewer, String tenant) {
    return tenant.isEmpty()
        ? viewer.mayEverywhere(AccessRole.OPERATOR)
        : viewer.may(tenant, AccessRole.OPERATOR);
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
            view.why(key, now, config.reserves()).orElse(null),
            view.analysis(key).orElse(null),
            view.ps(now, config.wallClock()).stream()
                .filter(it -> it.item().equals(key))
                .findFirst()
                .orElse(null),
            now);
    Map<String, Object> parameters = Map.of("page", page, "topics", topics);
    if (request.value("part").equals("live")) {
      request.fragment("itemlive", parameters);
    } else {
      request.answer("item", page.title(), page.live() == null ? 0 : 5, parameters);
    }
  }

  private List<WaitingRow> waiting(ConsoleView view, Instant now) {
    return view.next(NEXT, now, config.reserves()).stream()
        .map(it -> new WaitingRow(it, why(view, it.key(), now), now))
        // The ledger is ahead of the item's state: its session is among the live ones already.
        .filter(it -> it.reasons().stream().noneMatch(PageRoutes::runs))
        .toList();
  }

  private static boolean runs(ItemStatus.Reason reason) {
    return reason.reason() == ItemStatus.Word.RUNS;
  }

  private List<ItemStatus.Reason> why(ConsoleView view, String key, Instant now) {
    return view.why(key, now, config.reserves()).map(ItemStatus::reasons).orElse(List.of());
  }
}
