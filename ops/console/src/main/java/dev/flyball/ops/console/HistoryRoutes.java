package dev.flyball.ops.console;

import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.page.DeadLettersPage;
import dev.flyball.ops.console.page.HistoryPage;
import dev.flyball.ops.console.page.HistoryRange;
import dev.flyball.ops.console.page.OlderRows;
import dev.flyball.ops.console.page.PollsPage;
import dev.flyball.ops.console.page.ScopeLimits;
import dev.flyball.ops.console.page.Spend;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.OperatorAction;
import dev.flyball.ops.telemetry.AdminServer;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pages of the History view: sessions, polls, dead letters and what operators did. Each reads a
 * bounded part of its list, however long that is.
 */
final class HistoryRoutes {
  private static final String SESSIONS = "/history";
  private static final String POLLS = "/history/polls";
  private static final String DEAD_LETTERS = "/history/dead-letters";
  private static final String ACTIONS = "/history/actions";

  private final Topics topics;
  private final InstantSource clock;

  HistoryRoutes(Topics topics, InstantSource clock) {
    this.topics = topics;
    this.clock = clock;
  }

  /** Adds the pages to a server. */
  void attach(AdminServer server, PageFrame frame) {
    server.route(SESSIONS, frame.page(SESSIONS, this::sessions));
    server.route(POLLS, frame.page(POLLS, this::polls));
    server.route(DEAD_LETTERS, frame.page(DEAD_LETTERS, this::deadLetters));
    server.route(ACTIONS, frame.page(ACTIONS, this::actions));
  }

  private void sessions(PageFrame.Request request, ConsoleView view) throws IOException {
    Instant now = clock.instant();
    HistoryRange range = HistoryRange.of(request.value("range"));
    Instant since = now.minus(range.span());
    var windows = view.windows(null, range.size(), since);
    String after = after(request);
    var page =
        new HistoryPage(
            range,
            windows,
            OlderRows.of(
                view.ended(OlderRows.ASKED, after),
                SESSIONS + "?range=" + range.label(),
                after,
                EndedSession::session),
            view.totals(since),
            Spend.of(windows, 0, new ScopeLimits(List.of(), view.spend(now).budgets()), now),
            view.summary().deadLetters());
    request.answer("history", "History", 0, Map.of("page", page, "topics", topics));
  }

  private void polls(PageFrame.Request request, ConsoleView view) throws IOException {
    String source = request.value("source");
    var page =
        new PollsPage(
            view.sources(),
            source,
            source.isEmpty() ? List.of() : view.polls(source, PollsPage.POLLS),
            clock.instant());
    request.answer("polls", "Polls", 5, Map.of("page", page, "topics", topics));
  }

  private void deadLetters(PageFrame.Request request, ConsoleView view) throws IOException {
    String after = after(request);
    var page =
        new DeadLettersPage(
            OlderRows.of(
                view.deadLetters(OlderRows.ASKED, after),
                DEAD_LETTERS,
                after,
                DeadLetterRow::place),
            view.summary().deadLetters(),
            topics);
    request.answer("deadletters", "Dead letters", 0, Map.of("page", page, "topics", topics));
  }

  private void actions(PageFrame.Request request, ConsoleView view) throws IOException {
    String after = after(request);
    var rows =
        OlderRows.of(view.actions(OlderRows.ASKED, after), ACTIONS, after, OperatorAction::id);
    request.answer("actions", "Actions", 0, Map.of("page", rows, "topics", topics));
  }

  private static @Nullable String after(PageFrame.Request request) {
    String after = request.value("after");
    return after.isEmpty() ? null : after;
  }
}
