package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.output.OutputLine;
import dev.flyball.ops.console.page.Chrome;
import dev.flyball.ops.console.page.HistoryPage;
import dev.flyball.ops.console.page.HistoryRange;
import dev.flyball.ops.console.page.ItemPage;
import dev.flyball.ops.console.page.ItemsPage;
import dev.flyball.ops.console.page.ItemsQuery;
import dev.flyball.ops.console.page.LogPage;
import dev.flyball.ops.console.page.NowPage;
import dev.flyball.ops.console.page.OlderRows;
import dev.flyball.ops.console.page.ScopeLimits;
import dev.flyball.ops.console.page.Spend;
import dev.flyball.ops.console.page.Upcoming;
import dev.flyball.ops.console.page.WaitingRow;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.SessionTotals;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.why.ItemStatus;
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

  private final PageTemplates templates = new PageTemplates();

  @Test
  void whatTrackersAndAgentsWriteIsTextOnEveryPage() {
    String marks = "e" + "\u0301".repeat(1_000_000);
    for (String text : List.of(HOSTILE, marks)) {
      for (String page : everyPage(text, ADMIN)) {
        assertThat(page).doesNotContain("<script>", "<img src=x", "\u001b", "\u202e");
        // A form sends the key as it is; nothing of an attribute is drawn.
        assertThat(page.replaceAll("(id|value)=\"[^\"]*\"", "")).doesNotContain("\u0301".repeat(4));
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
    assertThat(now(operator, List.of(live(KEY)), List.of()))
        .contains("action=\"/actions/item\"", "value=\"cancel\"")
        .doesNotContain("/actions/pause", "/actions/cap", "/actions/budget");
    assertThat(now(operator, List.of(live("other/web/1")), List.of()))
        .doesNotContain("/actions/item");
    assertThat(item(row(KEY, "t", "dead", null), operator))
        .contains("value=\"retry\"")
        .doesNotContain("value=\"forget\"");
    assertThat(now(ADMIN, List.of(), List.of("global paused by bob: release")))
        .contains("/actions/cap", "/actions/budget", "/actions/resume", "value=\"global\"");
  }

  @Test
  void anActionOnManyItemsAsksWithTheirCountFirst() {
    var query = ItemsQuery.of(Map.of("state", "dead", "text", "a&b", "source", "acme/web"));
    var page = new ItemsPage(query, List.of(row(KEY, "t", "dead", null)), 804, List.of(), NOW);

    assertThat(items(page, ADMIN))
        .contains(
            "href=\"/items?text=a%26b&amp;state=dead&amp;tenant=acme&amp;source=web&amp;confirm=retry\"");
    assertThat(render("confirm", ADMIN, Map.of("page", page, "action", "retry", "digest", "d1")))
        .contains(
            "Retry 804 items?",
            "name=\"confirm\" value=\"804\"",
            "name=\"digest\" value=\"d1\"",
            "value=\"a&amp;b\"")
        .contains("name=\"source\" value=\"acme/web\"");
    var many = new ItemsPage(query, page.found(), 1_001, List.of(), NOW);
    assertThat(items(many, ADMIN)).as("more than one action changes").doesNotContain("confirm=");
    var all = new ItemsPage(ItemsQuery.of(Map.of()), List.of(), 3, List.of(), NOW);
    assertThat(items(all, ADMIN)).as("never everything by accident").doesNotContain("confirm=");
  }

  @Test
  void emptyViewsSayWhatComesNext() {
    var all = new ItemsPage(ItemsQuery.of(Map.of()), List.of(), 0, List.of(), NOW);
    var some = new ItemsPage(ItemsQuery.of(Map.of("text", "x")), List.of(), 0, List.of(), NOW);

    assertThat(all.nothing()).isNotEqualTo(some.nothing());
    assertThat(items(all, READER)).contains(all.nothing());
    assertThat(items(some, READER)).contains(some.nothing(), "href=\"/items\">Clear<");
    String paused = "global paused by bob: release";
    assertThat(now(READER, List.of(), List.of())).contains(EMPTY).doesNotContain(paused);
    assertThat(now(READER, List.of(), List.of(paused))).contains(EMPTY, paused);
    assertThat(history(List.of(), List.of()).split(EMPTY, -1)).hasSize(3);
  }

  @Test
  void manyLiveSessionsArePagedAfterTheirTotal() {
    var many = IntStream.range(0, 250).mapToObj(it -> live("acme/web/" + it)).toList();
    String page = now(READER, many, List.of());

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
        new Analysis(
            "14",
            new Fingerprint("1", "h"),
            null,
            "See Ledger.java:3 and Other.java:9.",
            List.of(new Analysis.Passage("src/Ledger.java", 1, 4, "<b>class</b>")),
            0,
            "scout",
            null,
            "s1",
            "t",
            NOW,
            null,
            null,
            null);
    var page =
        new ItemPage(
            KEY,
            new ItemStory(row(KEY, "t", "analyzed", null), null, List.of()),
            null,
            analysis,
            null,
            NOW);

    assertThat(render("item", READER, Map.of("page", page, "topics", Topics.DEFAULT)))
        .contains("<a class=\"link mono\" href=\"#passage-0\">Ledger.java:3</a> and Other.java:9.")
        .contains("id=\"passage-0\"", "&lt;b&gt;class&lt;/b&gt;");
  }

  @Test
  void chartsHoldTheWindowsOfAllTenantsByTime() {
    var page =
        history(
            List.of(window("a", NOW, 2), window("b", NOW, 3), window("a", NOW.plusSeconds(600), 1)),
            List.of());

    long first = NOW.getEpochSecond();
    assertThat(page)
        .contains("data-series=\"[[" + first + "," + (first + 600) + "],[3.0,1.0]]\"", "3 at most");
  }

  private List<String> everyPage(String text, Viewer viewer) {
    // Keys have no control characters; within a form they must be exact.
    String key = "acme/web/" + text.substring(0, 20);
    var event =
        new ItemStory.Event(
            NOW, "flyball.item.skipped.v1", text, text, RecordJson.tree(Map.of("reason", text)));
    ItemRow row = row(key, text, "dead", text);
    var found =
        new ItemsPage(
            ItemsQuery.of(Map.of("text", text, "state", "dead")), List.of(row), 1, List.of(), NOW);
    var log =
        new LogPage(
            "s1", key, List.of(LogPage.Line.of(new OutputLine(NOW, "out", text))), 1, true, text);
    return List.of(
        now(viewer, List.of(live(key)), List.of("global paused by " + text)),
        items(found, viewer),
        item(row, List.of(event), viewer),
        history(List.of(), List.of(ended(key, text))),
        render("log", viewer, Map.of("page", log, "topics", Topics.DEFAULT)));
  }

  /** A pause by its line, which begins with the scope. */
  static Summary.Pause pause(String line) {
    return new Summary.Pause(line.substring(0, line.indexOf(' ')), line);
  }

  private String now(Viewer viewer, List<RunningSession> live, List<String> pauses) {
    var summary =
        new Summary(
            live.size(),
            3,
            Map.of(),
            2,
            NOW.minusSeconds(120),
            Map.of(),
            1_500_000,
            0,
            pauses.stream().map(PageTemplatesTest::pause).toList(),
            List.of(new Summary.Runner("r1", "A", 4, pauses.isEmpty() ? null : pauses.getFirst())),
            pauses,
            NOW);
    var reason =
        new ItemStatus.Reason(
            ItemStatus.Word.PAUSED, "global", NOW.plusSeconds(61), summary.pauses().toString());
    String title = live.isEmpty() ? "t" : live.getFirst().item();
    var waiting = new WaitingRow(row(title, title, "queued", null), List.of(reason), NOW);
    var limits = new ScopeLimits(List.of(), List.of());
    var page =
        new NowPage(
            summary,
            live,
            new Upcoming(List.of(waiting), List.of(), NOW),
            Map.of("completed", 10L, "timedOut", 1L),
            Spend.of(List.of(), 1_500_000, limits, NOW),
            limits,
            0,
            NOW);
    return render("now", viewer, Map.of("page", page, "topics", Topics.DEFAULT));
  }

  private String items(ItemsPage page, Viewer viewer) {
    return render("items", viewer, Map.of("page", page, "topics", Topics.DEFAULT, "most", 1_000));
  }

  private String item(ItemRow row, Viewer viewer) {
    return item(row, List.of(), viewer);
  }

  private String item(ItemRow row, List<ItemStory.Event> events, Viewer viewer) {
    var page = new ItemPage(row.key(), new ItemStory(row, null, events), null, null, null, NOW);
    return render("item", viewer, Map.of("page", page, "topics", Topics.DEFAULT));
  }

  private String history(List<MetricWindow> windows, List<EndedSession> ended) {
    var spend = Spend.of(windows, 0, new ScopeLimits(List.of(), List.of()), NOW);
    var page =
        new HistoryPage(
            HistoryRange.HOURS_6,
            windows,
            OlderRows.of(ended, "/history?range=6h", null, EndedSession::session),
            new SessionTotals(Map.of(), 0, 0, 0, 0, 0, 0),
            spend,
            0);
    return render("history", READER, Map.of("page", page, "topics", Topics.DEFAULT));
  }

  private String render(String template, Viewer viewer, Map<String, Object> parameters) {
    var all = new HashMap<>(parameters);
    all.put(
        "chrome",
        new Chrome(
            "t",
            "/",
            "degraded",
            List.of("r"),
            List.of("n"),
            null,
            viewer,
            false,
            "127.0.0.1:9092",
            NOW,
            5));
    return templates.render(template, all);
  }

  private static ItemRow row(String key, String title, String state, @Nullable String url) {
    return new ItemRow(key, title, state, url, "1", 1, url, NOW, NOW.minusSeconds(60), 0);
  }

  private static RunningSession live(String key) {
    return new RunningSession(
        "s-" + key.length(),
        key,
        "r1",
        1,
        7L,
        "A",
        3L,
        NOW,
        61_000,
        600_000,
        NOW,
        false,
        48_200,
        110_000,
        null);
  }

  private static EndedSession ended(String key, String text) {
    return new EndedSession(
        "s", key, text, "failed", text, NOW, 1, 2, 3, 4, null, null, null, null, null, null, null,
        null, null, null, null);
  }

  private static MetricWindow window(String tenant, Instant start, long peak) {
    return new MetricWindow(
        "1m",
        start,
        tenant,
        Map.of("completed", 1L),
        1,
        peak,
        null,
        null,
        0,
        0,
        0,
        0,
        Map.of(),
        0,
        Map.of());
  }
}
