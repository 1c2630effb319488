package dev.flyball.ops.console;

import com.sun.net.httpserver.HttpExchange;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.page.HistoryPage;
import dev.flyball.ops.console.page.HistoryRange;
import dev.flyball.ops.console.page.ItemPage;
import dev.flyball.ops.console.page.ItemsPage;
import dev.flyball.ops.console.page.ItemsQuery;
import dev.flyball.ops.console.page.NowPage;
import dev.flyball.ops.console.page.Spend;
import dev.flyball.ops.console.page.WaitingRow;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession;
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
import java.util.stream.Collectors;

/**
 * The console's pages. They only read; what changes anything is a form that posts to {@code
 * /actions/}. Each request opens the projection's file itself.
 */
final class PageRoutes {
  /** A page of each open browser holds one; a further one reads without. */
  private static final int STREAMS = 200;

  /** Waiting items whose reasons the first view shows: each reads the ledger. */
  private static final int NEXT = 5;

  /** Ended sessions that the last view lists. */
  private static final int ENDED = 100;

  /** What may be done with all items that match. */
  private static final Set<String> BULK = Set.of("cancel", "retry", "skip");

  private final ConsoleConfig config;
  private final InstantSource clock;
  private final PageFrame frame;
  private final Topics topics;
  private final ChangeStreams streams;
  private final LogRoutes logs;

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
    this.topics = kafka.topics();
    this.frame = new PageFrame(config, clock, viewers, broker);
    this.streams = new ChangeStreams(config.data(), STREAMS);
    this.logs = new LogRoutes(config.data(), new KafkaClients(kafka, "console-log"));
  }

  /** Adds the pages to a server. */
  void attach(AdminServer server) {
    frame.health(server::report);
    server.route("/", frame.page("/", this::now));
    server.route("/items", frame.page("/items", this::items));
    server.route("/item", frame.page("/item", this::item));
    server.route("/history", frame.page("/history", this::history));
    server.route("/log", frame.page("/log", logs::answer));
    server.route("/events", streams::answer);
    server.open(StaticFiles.PATH, new StaticFiles()::answer);
  }

  private void now(PageFrame.Request request, ConsoleView view) throws IOException {
    Instant now = clock.instant();
    List<RunningSession> live = view.ps(now, config.wallClock());
    var page =
        new NowPage(
            view.summary(),
            live,
            live.isEmpty() ? Map.of() : titles(view),
            waiting(view, now),
            view.endedSince(now.minus(Duration.ofHours(1))),
            Spend.of(
                view.windows(null, "1h", now.truncatedTo(ChronoUnit.DAYS)),
                view.summary().costMicros(),
                now),
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
    ItemsQuery query = ItemsQuery.of(request.query(), request.number("page"));
    var page =
        new ItemsPage(
            query, view.items(query.filter()), view.count(query.filter()), clock.instant());
    Map<String, Object> parameters = Map.of("page", page, "topics", topics);
    String action = request.value("confirm");
    if (BULK.contains(action) && query.selects() && operates(request.viewer(), query.tenant())) {
      request.answer("confirm", "Confirm", 0, Map.of("page", page, "action", action));
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

  private void history(PageFrame.Request request, ConsoleView view) throws IOException {
    Instant now = clock.instant();
    HistoryRange range = HistoryRange.of(request.value("range"));
    var page =
        new HistoryPage(
            range,
            view.windows(null, range.size(), now.minus(range.span())),
            view.ended(ENDED),
            view.endedSince(now.minus(range.span())),
            view.summary().deadLetters(),
            now);
    request.answer("history", "History", 0, Map.of("page", page, "topics", topics));
  }

  private static Map<String, String> titles(ConsoleView view) {
    return view.items(ItemFilter.ofState("running")).stream()
        .collect(Collectors.toMap(ItemRow::key, ItemRow::title));
  }

  private List<WaitingRow> waiting(ConsoleView view, Instant now) {
    return view.items(new ItemFilter("queued", null, null, NEXT)).stream()
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
