package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.operate.ItemAction;
import dev.flyball.ops.console.output.SessionOutput.OutputLine;
import dev.flyball.ops.console.page.Chrome;
import dev.flyball.ops.console.page.Display;
import dev.flyball.ops.console.page.HistoryPage;
import dev.flyball.ops.console.page.HistoryPage.Chart;
import dev.flyball.ops.console.page.HistoryPage.HistoryRange;
import dev.flyball.ops.console.page.ItemPage;
import dev.flyball.ops.console.page.ItemsPage;
import dev.flyball.ops.console.page.NowPage;
import dev.flyball.ops.console.page.OlderRows;
import dev.flyball.ops.console.page.PollTimes;
import dev.flyball.ops.console.page.Problem;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.OperatorAction;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.SourceStatus.PollRow;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.view.Summary.DaySpend;
import dev.flyball.ops.console.view.Summary.ScopeCap;
import dev.flyball.ops.console.view.Summary.SessionTotals;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.console.why.ItemStatus.WaitingRow;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the templates write; a browser looks at the same pages in the program's tests. */
class PageTemplatesTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
  private static final String KEY = "acme/web/1";
  private static final String EMPTY = "class=\"empty frame\"";
  private static final String HOSTILE =
      "</td><script>alert(1)</script>\"'><img src=x"
          + " onerror=alert(2)>${7*7}@if(true)\u001b[31m\u202e";
  private static final Viewer READER =
      new Viewer("ann", Map.of(Viewer.ALL_TENANTS, AccessRole.VIEWER));
  private static final Viewer ADMIN =
      new Viewer("ann", Map.of(Viewer.ALL_TENANTS, AccessRole.ADMIN));

  private static final List<ScopeCap> CAPS =
      List.of(
          new ScopeCap("global", 3, 1),
          new ScopeCap("provider:anthropic", 2, null),
          new ScopeCap("source:acme/web", 1, 1));

  private static final DaySpend TODAY =
      spent(
          new DaySpend.Budget("global", 4_310_000, 20_000_000L, 0, null),
          new DaySpend.Budget("tenant:acme", 900_000, 1_000_000L, 48_200, 100_000L));

  private static final OlderRows<EndedSession> NONE =
      OlderRows.of(List.of(), "/history", null, EndedSession::session);

  @Test
  void whatTrackersAndAgentsWriteIsTextOnEveryPage() {
    String marks = "e" + "\u0301".repeat(1_000_000);
    for (String text : List.of(HOSTILE, marks)) {
      for (String page : everyPage(text, ADMIN)) {
        assertThat(page).doesNotContain("<script>", "<img src=x", "\u001b", "\u202e");
        // A form sends the key as it is; nothing of an attribute is drawn.
        assertThat(page.replaceAll("(id|value|href)=\"[^\"]*\"", ""))
            .doesNotContain("\u0301".repeat(4));
        assertThat(page.length()).isLessThan(200_000);
      }
    }
    assertThat(everyPage(HOSTILE, ADMIN).getFirst())
        .contains("&lt;script&gt;alert(1)&lt;/script&gt;", "${7*7}@if(true)");
  }

  @Test
  void onlyWebAddressesOfTrackersAreLinks() {
    for (String url : List.of("javascript:alert(1)", "data:text/html,x", " https://x")) {
      assertThat(item(row(KEY, "t", "dead", url), ADMIN)).doesNotContain("Open in tracker");
    }
    assertThat(item(row(KEY, "t", "dead", "https://t.example/1"), ADMIN))
        .contains("href=\"https://t.example/1\"");
  }

  // S3-14
  @Test
  void aViewerWithoutTheRightSeesNoAction() {
    for (String page : everyPage("plain text of a title", READER)) {
      assertThat(page).doesNotContain("method=\"post\"", "/actions/", "disabled", "confirm=");
    }
    var operator = new Viewer("ann", Map.of("acme", AccessRole.OPERATOR, "*", AccessRole.VIEWER));
    assertThat(now(operator, List.of(live(KEY)), List.of(), List.of()))
        .contains("action=\"/actions/item\"", "value=\"cancel\"")
        .doesNotContain("/actions/pause", "/actions/cap", "/actions/budget");
    assertThat(now(operator, List.of(live("other/web/1")), List.of(), List.of()))
        .doesNotContain("/actions/item");
    assertThat(now(ADMIN, List.of(live(KEY)), List.of(), List.of()))
        .contains("id=\"stop-all\"", "Stop all 1", "name=\"why\" placeholder=\"optional\"");
    assertThat(item(row(KEY, "t", "dead", null), operator))
        .contains("value=\"retry\"")
        .doesNotContain("value=\"forget\"");
    assertThat(now(ADMIN, List.of(), List.of(), List.of("global paused by bob: release")))
        .contains("/actions/cap", "/actions/budget", "/actions/resume", "value=\"global\"");
  }

  @Test
  void anActionOnManyItemsAsksWithTheirCountFirst() {
    var query = Map.of("state", "dead", "text", "a&b", "source", "acme/web");
    var page = found(query, List.of(row(KEY, "t", "dead", null)), 804);

    assertThat(items(page, ADMIN))
        .contains(
            "href=\"/items?text=a%26b&amp;state=dead&amp;tenant=acme&amp;source=web&amp;confirm=retry\"");
    assertThat(render("confirm", ADMIN, page, Map.of("action", "retry", "digest", "d1")))
        .contains(
            "Retry 804 items?",
            "name=\"confirm\" value=\"804\"",
            "name=\"digest\" value=\"d1\"",
            "value=\"a&amp;b\"")
        .contains("name=\"source\" value=\"acme/web\"");
    var many = found(query, page.found(), 1_001);
    assertThat(items(many, ADMIN)).as("more than one action changes").doesNotContain("confirm=");
    var all = found(Map.of(), List.of(), 3);
    assertThat(items(all, ADMIN)).as("never everything by accident").doesNotContain("confirm=");
  }

  @Test
  void eachStateIsATabWithItsCountAndKeepsTheSearch() {
    var all = found(Map.of(), List.of(), 0);
    var searched = found(Map.of("state", "dead", "text", "x"), List.of(), 0);
    assertThat(items(searched, READER))
        .as("counts are of all items, not of those found")
        .contains("id=\"state-\" href=\"/items?text=x\">All</a>")
        .contains("href=\"/items?text=x&amp;state=dead\" aria-current=\"page\">Dead</a>");
    assertThat(items(all, READER))
        .contains("id=\"state-\" href=\"/items\" aria-current=\"page\">All</a>")
        .contains("href=\"/items?state=dead\">Dead <span class=\"dim\">1,204</span>")
        .contains("href=\"/items?state=running\">Running <span class=\"dim\">0</span>");
  }

  @Test
  void emptyViewsSayWhatComesNext() {
    var all = found(Map.of(), List.of(), 0);
    var some = found(Map.of("text", "x"), List.of(), 0);

    assertThat(all.nothing()).isNotEqualTo(some.nothing());
    assertThat(items(all, READER)).contains(all.nothing());
    assertThat(items(some, READER)).contains(some.nothing(), "href=\"/items\">Clear<");
    String paused = "global paused by bob: release";
    assertThat(now(READER, List.of(), List.of(), List.of())).contains(EMPTY).doesNotContain(paused);
    assertThat(now(READER, List.of(), List.of(), List.of(paused))).contains(EMPTY, paused);
    assertThat(sessions(NONE).split(EMPTY, -1)).hasSize(3);
  }

  /** Not a pause, which the page lists apart, nor what a row of a source says already. */
  @Test
  void problemsAreListedWorstFirstWithTheirAgeAndPlace() {
    var reported =
        List.of(
            new Health.Condition("pause", "global", "runner, console: global paused by bob"),
            new Health.Condition("polls", "acme/old", "producer: source acme/old: HTTP 500"),
            new Health.Condition("disk", "runner: the disk is full"));
    var broken =
        new SourceStatus(
            "acme/old",
            poll("failed", "HTTP 500"),
            null,
            null,
            "closed",
            null,
            NOW.minusSeconds(9));
    var page =
        nowPage(
            List.of(live(KEY)),
            List.of(broken, source("acme/web", NOW, "closed", null)),
            List.of());

    assertThat(page.problems(chrome(READER, reported)))
        .containsExactly(
            new Problem(
                "warn", "Degraded", "runner: the disk is full", NOW.minusSeconds(300), null),
            new Problem(
                "bad",
                "Cannot read acme/old",
                "HTTP 500",
                NOW.minusSeconds(9),
                "/history/polls?source=acme%2Fold"),
            new Problem(
                "bad", "An item was given up", KEY + ": " + KEY, NOW, "/item?key=acme%2Fweb%2F1"));
    assertThat(page.scopes())
        .containsExactly("global", "tenant:acme", "source:acme/old", "source:acme/web");
    var hung = live(KEY, true);
    assertThat(
            nowPage(List.of(hung, hung), List.of(), List.of()).problems(chrome(READER, List.of())))
        .extracting(Problem::what, Problem::href)
        .containsExactly(
            tuple("2 items were given up", "/items?state=dead"),
            tuple("2 sessions are silent", "#live-sessions"));
  }

  @Test
  void manyLiveSessionsArePagedAfterTheirTotal() {
    var many = IntStream.range(0, 250).mapToObj(it -> live("acme/web/" + it)).toList();
    String page = now(READER, many, List.of(), List.of());

    assertThat(page.split("data-label=\"Elapsed\"", -1)).hasSize(NowPage.PAGE + 1);
    assertThat(page).contains("1 to 100 of 250", "href=\"/?page=1\"");
  }

  @Test
  void pagesHaveNoInlineStyleOrScript() {
    for (String page : everyPage("plain text of a title", ADMIN)) {
      assertThat(page)
          .doesNotContain(" style=", "<style", "javascript:")
          .doesNotContainPattern(" on[a-z]+=")
          .doesNotContainPattern("<script(?! src=)");
    }
  }

  @Test
  void anAnalysisLinksTheFilesThatItNames() {
    var analysis =
        Sample.answer(
            "scout",
            "0123abc",
            "See Ledger.java:3 and Other.java:9.",
            new Analysis.Passage("src/Ledger.java", 1, 4, "<b>class</b>"));
    var page =
        new ItemPage(
            KEY,
            new ItemStory(row(KEY, "t", "analyzed", null), null, List.of()),
            "https://github.com/acme/web.git",
            null,
            null,
            analysis,
            null,
            List.of(ended("s1", 3L, null)),
            NOW);

    assertThat(render("item", READER, page))
        .contains("<a class=\"link mono\" href=\"#passage-0\">Ledger.java:3</a> and Other.java:9.")
        .contains("id=\"passage-0\"", "&lt;b&gt;class&lt;/b&gt;")
        .contains("href=\"https://github.com/acme/web/blob/0123abc/src/Ledger.java#L1-L4\"")
        .contains("href=\"/log?session=s1\"", "exit 3, survivors 0");
  }

  @Test
  void anItemShowsItsTextBelowItsLastError() {
    String text =
        "Steps: "
            + "wait. ".repeat(300)
            + "\n\nComments, newest first:\n\nann:\n  me too\n\nbob:\n  no";
    var snapshot = Sample.snapshot("Bug", "t", text, List.of("area:lease"));
    var failed = event(0, "flyball.session.failed.v1", Map.of("reason", "401 Unauthorized"));
    ItemRow row = row(KEY, "t", "dead", null);
    String page = item(row, READER, snapshot, failed);
    assertThat(page.indexOf("id=\"last-error\""))
        .isPositive()
        .isLessThan(page.indexOf("id=\"item-text\""));
    assertThat(page)
        .contains("Session failed: 401 Unauthorized", "2026-11-21 10:00 UTC", "Bug, Active")
        .contains(
            "<summary>All of the description</summary>", "area:lease", "2 comments", "ann:\n");

    assertThat(item(row, READER, Sample.snapshot("", "t", text, List.of()), failed))
        .contains(">Active, 2 comm");
    var changed = event(1, "flyball.item.changed.v1", Map.of());
    assertThat(item(row, READER, snapshot, failed, changed))
        .as("the error belongs to what the item was")
        .doesNotContain("last-error");
    var ended = event(2, "flyball.session.cancelled.v1", Map.of());
    assertThat(item(row, READER, snapshot, failed, ended)).doesNotContain("last-error");
  }

  private static ItemStory.Event event(int second, String type, Map<String, String> data) {
    return new ItemStory.Event(
        NOW.plusSeconds(second), type, "runner", null, RecordJson.tree(data));
  }

  @Test
  void deadLettersOfferWhatBringsThemBackToThoseWhoMay() {
    String page = letters(ADMIN, letter(KEY, "flyball.work-items"));
    assertThat(page)
        .contains("action=\"/actions/dead-letters\"", "value=\"requeue\"", "value=\"" + KEY + "\"")
        .contains("href=\"/item?key=acme%2Fweb%2F1\"", "name=\"why\"", "flyball.work-items 0:7");
    assertThat(letters(ADMIN, letter(KEY, "flyball.analyses"))).contains("value=\"redeliver\"");
    assertThat(letters(ADMIN, letter(KEY, "flyball.triage-verdicts")))
        .as("applies only to the time at which it was written")
        .doesNotContain("/actions/");
    assertThat(letters(ADMIN, letter(null, "flyball.work-items"))).doesNotContain("/actions/");
    var other = new Viewer("ann", Map.of("b", AccessRole.OPERATOR, "*", AccessRole.VIEWER));
    assertThat(letters(other, letter(KEY, "flyball.work-items"))).doesNotContain("/actions/");
  }

  @Test
  void actionsSayWhoDidWhatWhenAndWhy() {
    String page =
        actions(
            new OperatorAction("1", NOW, "ann", "cancel", KEY, "went astray", true, "running to x"),
            new OperatorAction("2", NOW, "bob", "cap", "tenant:acme", "less", false, "cap 1"));
    assertThat(page)
        .contains("cancel", "ann", "went astray", "done", "running to x", "2026-11-21 10:00")
        .contains("bob", "tenant:acme", "no effect", "href=\"/item?key=acme%2Fweb%2F1\"")
        .doesNotContain("href=\"/item?key=tenant");
  }

  @Test
  void sourcesSayWhenTheirNextPollIsAndWhatFailed() {
    String page =
        polls(
            new SourceStatus(
                "acme/web", poll("finished", null), NOW, NOW.plusSeconds(42), "closed", null, null),
            new SourceStatus(
                "acme/old",
                poll("failed", "HTTP 500"),
                null,
                NOW.plusSeconds(60),
                "open",
                "3 failures",
                NOW),
            new SourceStatus("acme/now", poll(null, null), null, null, "closed", null, null));
    assertThat(page)
        .contains("href=\"/history/polls?source=acme%2Fweb\"", "in 42s", "1m 0s ago", "30 seen")
        .contains("breaker open", "calls are held back: 3 failures", "in 1m 0s", "never")
        .contains("not ended", "polling")
        .doesNotContain("/actions/");
    var one = new Viewer("ann", Map.of("acme", AccessRole.OPERATOR, "*", AccessRole.VIEWER));
    String own =
        polls(
            one, source("acme/web", NOW, "closed", null), source("other/web", NOW, "closed", null));
    assertThat(own)
        .contains("action=\"/actions/poll\"", "name=\"source\" value=\"acme/web\"", "Poll now")
        .doesNotContain("value=\"other/web\"");
  }

  @Test
  void emptyViewsSayWhenTheNextPollIsOrHowToAddASource() {
    var next = source("acme/web", NOW.plusSeconds(42), "closed", null);
    var later = source("acme/ado", NOW.plusSeconds(99), "closed", null);
    assertThat(upcoming(later, next)).isEqualTo("Next poll of acme/web in 42s.");
    assertThat(upcoming(source("acme/web", NOW.minusSeconds(1), "closed", null)))
        .isEqualTo("The next poll of acme/web is due.");
    assertThat(upcoming(source("acme/web", NOW.plusSeconds(60), "open", "HTTP 500")))
        .isEqualTo("Polls of acme/web are held back for another 1m 0s: HTTP 500");
    assertThat(upcoming(source("acme/web", null, "closed", null)))
        .isEqualTo("Last poll: acme/web, 1m 0s ago.");
    assertThat(upcoming()).contains("flyball.yaml");

    var none = new ItemsPage(ItemFilter.ALL, List.of(), 0, Map.of(), List.of(next), NOW);
    assertThat(none.nothing()).contains("Next poll of acme/web in 42s.");
    assertThat(now(READER, List.of(), List.of(next), List.of()))
        .contains("Next poll of acme/web in 42s.");
    assertThat(now(READER, List.of(), List.of(), List.of())).contains("flyball.yaml");
    assertThat(polls()).contains("flyball.yaml");
  }

  @Test
  void limitsOfScopesAreListedAndChangedByThoseWhoMay() {
    String page =
        now(ADMIN, List.of(), List.of(), List.of("source:acme/web paused by bob: release"));
    assertThat(page)
        .contains("<small>of $20.00</small>", "source:acme/web", "provider:anthropic")
        .contains("$0.90, 48.2k", "$1.00, 100.0k tokens")
        .contains("name=\"scope\" value=\"provider:anthropic\"", "name=\"limit\"")
        .contains("id=\"uncap-source:acme/web\"", "name=\"limit\" value=\"none\"")
        .doesNotContain("id=\"uncap-global\"");
    var one = new Viewer("ann", Map.of("acme", AccessRole.ADMIN));
    assertThat(now(one, List.of(), List.of(), List.of("source:acme/web paused by bob: release")))
        .contains("/actions/resume", "id=\"cap-source:acme/web\"")
        .doesNotContain("id=\"cap-provider:anthropic\"", "id=\"uncap-provider:anthropic\"");
    var own = spent(TODAY.budgets().getLast());
    assertThat(Display.limit(own)).isEqualTo("of $1.00");
    assertThat(Display.limit(spent())).isEmpty();
  }

  @Test
  void longListsArePagedByTheLastRowThatIsShown() {
    List<EndedSession> found =
        IntStream.range(0, OlderRows.ASKED).mapToObj(it -> ended("s&" + it, 0L, null)).toList();
    String first = sessions(OlderRows.of(found, "/history?range=6h", null, EndedSession::session));
    assertThat(first.split("Log</a>", -1)).hasSize(OlderRows.PAGE + 1);
    assertThat(first)
        .contains("rel=\"next\" href=\"/history?range=6h&amp;after=s%2649\"")
        .doesNotContain("rel=\"first\"");
    var last = OlderRows.of(found.subList(0, 2), "/history?range=6h", "s9", EndedSession::session);
    assertThat(sessions(last))
        .contains("rel=\"first\" href=\"/history?range=6h\"")
        .doesNotContain("rel=\"next\"");
  }

  @Test
  void itemsArePagedByTheLastRowThatIsShown() {
    List<ItemRow> found =
        IntStream.range(0, OlderRows.ASKED)
            .mapToObj(it -> row("acme/web/" + it, "t", "dead", null))
            .toList();
    var first = found(Map.of("state", "dead"), found, 99);
    assertThat(first.part().rows()).hasSize(OlderRows.PAGE);
    assertThat(first.part().older()).isEqualTo("/items?state=dead&after=5.1.acme%2Fweb%2F49");
    assertThat(first.part().newest()).isEmpty();
    var second = found(Map.of("state", "dead", "after", "5.1.acme/web/49"), List.of(), 99);
    assertThat(second.filter().after()).isEqualTo(ItemFilter.placeOf(found.get(49)));
    assertThat(second.part().newest()).isEqualTo("/items?state=dead");
    assertThat(ItemsPage.filter(Map.of("after", "; DROP")).after()).isNull();
    assertThat(ItemsPage.filter(Map.of("source", "web")).source()).isEqualTo("web");
    assertThat(ItemsPage.filter(Map.of("source", "acme/web")).source()).isEqualTo("acme/web");
  }

  @Test
  void anEndedSessionShowsItsExit() {
    var rows = List.of(ended("s1", 137L, null), ended("s2", null, 9L), ended("s3", null, null));
    assertThat(rows).extracting(HistoryPage::exit).containsExactly("137", "signal 9", "-");
    assertThat(sessions(OlderRows.of(rows, "/history", null, EndedSession::session)))
        .contains(">137</td>", ">signal 9</td>", "2:30", "today $4.31 of $20.00");
  }

  @Test
  void aPointOfSixHoursIsTenMinutesAndADurationThatIsNotKnownIsAGap() {
    var totals = new SessionTotals(Map.of("completed", 6L), 0, 0);
    List<MetricWindow> windows =
        List.of(
            window("a", Instant.parse("2026-02-10T08:01:00Z"), 1, 1, 60_000L),
            window("a", Instant.parse("2026-02-10T08:09:00Z"), 2, 1, 30_000L),
            window("b", Instant.parse("2026-02-10T08:09:00Z"), 0, 4, null),
            window("a", Instant.parse("2026-02-10T08:31:00Z"), 3, 1, null));
    List<Chart> charts =
        new HistoryPage(HistoryRange.HOURS_6, windows, NONE, totals, TODAY, 0).charts();

    long first = Instant.parse("2026-02-10T08:00:00Z").getEpochSecond();
    assertThat(charts.get(1).times())
        .containsExactly(first, first + 600, first + 1_200, first + 1_800);
    assertThat(charts.get(1).lines().getFirst()).containsExactly(3.0, 0.0, 0.0, 3.0);
    assertThat(charts.get(2).lines().getFirst())
        .containsExactly(60.0, Double.NaN, Double.NaN, Double.NaN);
    assertThat(charts.get(2).summary()).isEqualTo("1:00 at most");
    String times = first + "," + (first + 600) + "," + (first + 1_200) + "," + (first + 1_800);
    assertThat(history(windows, NONE))
        .as("of all tenants")
        .contains("data-series=\"[[" + times + "],[4.0,null,null,1.0]]\"", "4 at most");
  }

  private static DaySpend spent(DaySpend.Budget... budgets) {
    return new DaySpend(4_310_000, 0, List.of(budgets), Map.of());
  }

  private static ItemsPage found(Map<String, String> query, List<ItemRow> rows, long total) {
    return new ItemsPage(
        ItemsPage.filter(query), rows, total, Map.of("dead", 1_204L), List.of(), NOW);
  }

  private List<String> everyPage(String text, Viewer viewer) {
    // Keys have no control characters; within a form they must be exact.
    String key = "acme/web/" + text.substring(0, 20);
    var event =
        new ItemStory.Event(
            NOW, "flyball.item.skipped.v1", text, text, RecordJson.tree(Map.of("reason", text)));
    ItemRow row = row(key, text, "dead", text);
    var found = found(Map.of("text", text, "state", "dead"), List.of(row), 1);
    Map<String, Object> log =
        Map.of(
            "session",
            new KnownSession("s1", key, NOW, true),
            "id",
            "s1",
            "name",
            "s1",
            "lines",
            List.of(new OutputLine(NOW, "out", text)),
            "count",
            1L,
            "place",
            "7.1",
            "more",
            true,
            "problem",
            text);
    return List.of(
        now(
            viewer,
            List.of(live(key)),
            List.of(source(text, NOW.plusSeconds(9), "closed", null)),
            List.of("global paused by " + text)),
        letters(
            viewer,
            new DeadLetterRow("0.1", key, NOW, text, "flyball.work-items", 0, 7, text, null),
            new DeadLetterRow("0.0", text, NOW, text, text, -1, 7, text, null)),
        actions(
            new OperatorAction("1", NOW, text, text, text, text, true, text),
            new OperatorAction("2", NOW, text, text, key, text, false, null)),
        polls(
            READER,
            new SourceStatus(text, poll(text, text), NOW, NOW.plusSeconds(9), text, text, NOW),
            source("acme/web", null, "open", text)),
        items(found, viewer),
        item(row, viewer, null, event),
        sessions(OlderRows.of(List.of(ended(key, text)), "/history", null, EndedSession::session)),
        render("log", viewer, "", log),
        render("lines", viewer, "", log));
  }

  private String now(
      Viewer viewer, List<RunningSession> live, List<SourceStatus> sources, List<String> pauses) {
    return render("now", viewer, nowPage(live, sources, pauses));
  }

  private static NowPage nowPage(
      List<RunningSession> live, List<SourceStatus> sources, List<String> pauses) {
    var summary =
        new Summary(
            live.size(),
            3,
            Map.of(),
            live.size(),
            NOW.minusSeconds(120),
            Map.of(),
            1_500_000,
            0,
            pauses.stream().map(line -> pause(line)).toList(),
            List.of(new Summary.Runner("r1", "A", 4, pauses.isEmpty() ? null : pauses.getFirst())),
            pauses,
            NOW);
    var reason =
        new ItemStatus.Reason(
            ItemStatus.Word.PAUSED, "global", NOW.plusSeconds(61), summary.pauses().toString());
    String title = live.isEmpty() ? "t" : live.getFirst().item();
    var waiting = new WaitingRow(row(title, title, "queued", null), List.of(reason));
    return new NowPage(
        summary,
        live,
        live.isEmpty() ? List.of() : List.of(waiting),
        sources,
        live.stream().map(it -> row(it.item(), it.item(), "dead", it.item())).toList(),
        new SessionTotals(Map.of("completed", 10L, "timedOut", 1L), 0, 0),
        CAPS,
        TODAY,
        0,
        0,
        NOW);
  }

  /** A pause by its line, which begins with the scope. */
  private static Summary.Pause pause(String line) {
    return new Summary.Pause(line.substring(0, line.indexOf(' ')), line);
  }

  private String items(ItemsPage page, Viewer viewer) {
    return render(
        "items",
        viewer,
        page,
        Map.of("all", page.selects(ItemAction.MOST) && page.changedBy(viewer)));
  }

  private String item(ItemRow row, Viewer viewer) {
    return item(row, viewer, null);
  }

  private String item(
      ItemRow row, Viewer viewer, @Nullable Snapshot snapshot, ItemStory.Event... events) {
    var state = snapshot == null ? null : RecordJson.tree(Map.of("snapshot", snapshot));
    var story = new ItemStory(row, state, List.of(events));
    return render(
        "item",
        viewer,
        new ItemPage(row.key(), story, null, null, null, null, null, List.of(), NOW));
  }

  private String history(List<MetricWindow> windows, OlderRows<EndedSession> rows) {
    var totals = new SessionTotals(Map.of("failed", 3L), 150_000, 0);
    return render(
        "history", READER, new HistoryPage(HistoryRange.HOURS_6, windows, rows, totals, TODAY, 0));
  }

  private String sessions(OlderRows<EndedSession> rows) {
    return history(List.of(), rows);
  }

  private String render(String template, Viewer viewer, Object page) {
    return render(template, viewer, page, Map.of());
  }

  private String render(
      String template, Viewer viewer, Object page, Map<String, Object> parameters) {
    var all = new HashMap<>(parameters);
    all.put("page", page);
    all.put("topics", Topics.DEFAULT);
    all.put("chrome", chrome(viewer, List.of(new Health.Condition("r", "r"))));
    return PageFrame.render(template, all);
  }

  private static Chrome chrome(Viewer viewer, List<Health.Condition> reasons) {
    return new Chrome(
        "t",
        "/",
        "degraded",
        reasons,
        Map.of("disk ", NOW.minusSeconds(300)),
        List.of("n"),
        null,
        viewer,
        false,
        "127.0.0.1:9092",
        NOW,
        5);
  }

  private static ItemRow row(String key, String title, String state, @Nullable String url) {
    return new ItemRow(key, title, state, url, "1", 1, url, NOW, NOW.minusSeconds(60), 0);
  }

  private static RunningSession live(String key) {
    return live(key, false);
  }

  private static RunningSession live(String key, boolean hung) {
    String id = "s-" + key.length();
    String now = "Read " + key;
    return new RunningSession(
        id, key, "r1", 1, 7L, "A", 3L, now, NOW, 61_000, 600_000, NOW, hung, 48_200, 110_000, null);
  }

  private static EndedSession ended(String key, String text) {
    return new EndedSession(
        "s", key, text, "failed", text, NOW, 1, 2, 3, 4, null, null, null, null, null, null, null,
        null, null, null, null);
  }

  private static MetricWindow window(
      String tenant, Instant start, long completed, long peak, @Nullable Long p95) {
    return new MetricWindow(
        "1m",
        start,
        tenant,
        Map.of("completed", completed),
        completed,
        peak,
        p95 == null ? null : new MetricWindow.Quantiles(completed, p95, p95, p95, p95),
        null,
        0,
        0,
        0,
        0,
        Map.of(),
        0,
        Map.of());
  }

  private String letters(Viewer viewer, DeadLetterRow... rows) {
    var page = OlderRows.of(List.of(rows), "/history/dead-letters", null, DeadLetterRow::place);
    return render("deadletters", viewer, page, Map.of("total", 9L));
  }

  private String actions(OperatorAction... rows) {
    return render(
        "actions",
        READER,
        OlderRows.of(List.of(rows), "/history/actions", null, OperatorAction::id));
  }

  private String polls(SourceStatus... sources) {
    return polls(READER, sources);
  }

  private String polls(Viewer viewer, SourceStatus... sources) {
    String selected = sources.length == 0 ? "" : sources[0].source();
    List<PollRow> polls = sources.length == 0 ? List.of() : List.of(sources[0].last());
    return render(
        "polls",
        viewer,
        "",
        Map.of("sources", List.of(sources), "selected", selected, "polls", polls, "now", NOW));
  }

  private static String upcoming(SourceStatus... sources) {
    return PollTimes.next(List.of(sources), NOW);
  }

  private static SourceStatus source(
      String name, @Nullable Instant next, String breaker, @Nullable String reason) {
    return new SourceStatus(name, poll("finished", null), NOW, next, breaker, reason, null);
  }

  private static PollRow poll(@Nullable String result, @Nullable String reason) {
    return new PollRow(
        "acme/web", "p", NOW.minusSeconds(60), null, result, reason, null, null, 30, 2, 28, 0);
  }

  private static DeadLetterRow letter(@Nullable String key, String topic) {
    return new DeadLetterRow("0.1", key, NOW, "not JSON", topic, 0, 7, "triage-stream", null);
  }

  private static EndedSession ended(String session, @Nullable Long exit, @Nullable Long signal) {
    return new EndedSession(
        session, KEY, "r1", "failed", "exit", NOW, 1, 2, 3, 4, 0L, "A title", 1L, NOW, exit, signal,
        null, null, null, null, null);
  }
}
