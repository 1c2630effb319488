package dev.flyball.program.newcomer;

import static dev.flyball.program.newcomer.Browser.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemPhase.Attempts;
import dev.flyball.contract.state.ItemPhase.Outstanding;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.program.launch.ProjectionFixture;
import dev.flyball.testkit.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a person finds who looks at night, in a real Chromium over rows that a console has folded:
 * something is wrong, the machine is busy, an item died, a tracker fails, everything must stop. The
 * situations come one after another and stay; the pages of every state are looked at in the end.
 */
@Tag("long")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class SituationsIT {
  private static final Map<String, String> TITLES =
      Map.of(
          "queued", "Export of the items table loses its last column",
          "running", "Lease expires although its holder had just renewed",
          "dead", "Sign-in fails for names with an umlaut",
          "analyzed", "Cap is 4 after an upgrade although 3 is set");

  @TempDir static Path folder;

  /** When the test began. */
  private static Instant begin = Instant.EPOCH;

  private static volatile Health health = Health.healthy();
  @AutoClose private static ProjectionFixture rows;
  @AutoClose private static AdminServer server;
  @AutoClose private static Browser browser;

  @BeforeAll
  static void start() {
    begin = Instant.now();
    rows = new ProjectionFixture(folder);
    server = rows.serve("127.0.0.1:9092", ConsoleAccess.everybody(), () -> health);
    browser = new Browser(folder, server.url());
    states().forEach(SituationsIT::item);
    happened("poll.finished", "acme/web", "p1", 600, Map.of("polled", 40, "changed", 2));
    rows.write("INSERT INTO meta VALUES ('cap', '3')");
    runner(null);
    live("s1", key("running"), 400, 4, "Read src/Ledger.java");
  }

  @BeforeEach
  void theProjectionIsUpToDate() {
    rows.asOf(Instant.now());
  }

  @Test
  @Order(1)
  void somethingIsWrong() {
    health =
        Health.degraded(
            "disk",
            "session-runner: /var/lib/flyball has 12 MB left of 200 that a session needs; no"
                + " session starts before there is more");
    assertThat(problems("now-wrong")).containsExactly("Degraded");
  }

  @Test
  @Order(2)
  void theMachineIsBusyAndItIsNotUs() {
    health = Health.healthy();
    String load = "load 10.3 is above 8.0, 2 x 4 CPUs; no agent of this runner runs";
    runner(load);
    request(key("queued"));
    assertThat(problems("now-busy")).isEmpty();
    assertThat(browser.text()).contains("Next up", load);
    open("item?key=" + key("queued"));
    assertThat(browser.text()).contains(load);
    browser.picture("item-busy");
  }

  @Test
  @Order(3)
  void anItemDied() {
    for (int attempt = 1; attempt <= 3; attempt++) {
      session(
          "d" + attempt,
          key("dead"),
          900 - 240 * attempt,
          Map.of("outcome", "failed", "reason", "401 Unauthorized", "exitCode", 1));
    }
    happened("item.deadLettered", key("dead"), "", 150, Map.of("reason", "3 attempts failed"));
    rows.write("UPDATE item SET updated_at = ? WHERE state = 'dead'", begin.minusSeconds(150));
    assertThat(problems("now-died")).containsExactly("An item was given up");
    await(() -> browser.find("#problems .button").click());
    assertThat(browser.find("#last-error").getText()).contains("401 Unauthorized");
    browser.picture("item-died");
  }

  @Test
  @Order(4)
  void aTrackerFailsAndASessionIsSilent() {
    String reason = "GitHub answered 401 Bad credentials; renew the token of sources[0].token-env";
    for (int ago = 500; ago > 0; ago -= 120) {
      happened("poll.failed", "acme/web", "f" + ago, ago, Map.of("reason", reason));
    }
    rows.write("UPDATE session SET hung = 1, progress_at = ?", begin.minusSeconds(290));
    health =
        Health.degraded(
            List.of(new Health.Condition("polls", "acme/web", "source acme/web: " + reason)));
    runner(null);
    assertThat(problems("now-failing"))
        .containsExactly("Cannot read acme/web", "An item was given up", "A session is silent");
    browser.size(390, 844);
    problems("now-failing-narrow");
    browser.size(1280, 800);
    open("item?key=" + key("running"));
    browser.picture("item-silent");
  }

  @Test
  @Order(5)
  void everythingMustStop() {
    live("s2", key("queued"), 90, 2, "bash: mvn -q test");
    rows.write("UPDATE item SET state = 'running', turn = 0 WHERE state = 'queued'");
    open("");
    await(() -> browser.find("#stop-all").click());
    assertThat(browser.all("main li")).hasSize(2);
    browser.picture("stop-all");
  }

  /** axe-core measures the contrast of all text; nothing is wider than its window. */
  @Test
  @Order(6)
  void thePagesOfEveryStateAreReadableInBothSchemesAndWidths() {
    var pages = new LinkedHashMap<String, String>();
    states().forEach(it -> pages.put(it.word(), "item?key=" + key(it.word())));
    for (String path :
        List.of(
            "",
            "items",
            "history",
            "history/polls",
            "history/actions",
            "history/dead-letters",
            "log?session=d1")) {
      pages.put(path, path);
    }
    double least = 21;
    for (boolean dark : new boolean[] {false, true}) {
      browser.dark(dark).open("/");
      assertThat(browser.script("return getComputedStyle(document.body).backgroundColor"))
          .asString()
          .startsWith(dark ? "rgb(15, " : "rgb(2");
      for (int width : new int[] {1280, 390}) {
        browser.size(width, 844);
        for (var page : pages.entrySet()) {
          String seen = page.getKey() + (dark ? ", dark, " : ", light, ") + width;
          open(page.getValue());
          least = Math.min(least, browser.healthy(seen));
        }
      }
    }
    assertThat(least).as("least contrast of a text").isBetween(4.5, 20.0);
  }

  private static void open(String path) {
    browser.open("/" + path);
  }

  /** What the first view lists above everything else. */
  private static List<String> problems(String picture) {
    open("");
    browser.picture(picture);
    assertThat(browser.barriers()).isEmpty();
    return ((List<?>)
            Objects.requireNonNull(
                browser.script(
                    "return [...document.querySelectorAll('#problems .note b')].map(b =>"
                        + " b.textContent)")))
        .stream().map(String::valueOf).toList();
  }

  private static String key(String state) {
    return "acme/web/" + (1 + ItemFilter.turn(state));
  }

  /** An item of each state. */
  private static List<ItemPhase> states() {
    return List.of(
        new ItemPhase.New(),
        new ItemPhase.Triaging("t1", 1, 1, begin, begin.plusSeconds(60)),
        new ItemPhase.Skipped("says too little of how it fails (5 of 7 points, described, defect)"),
        new ItemPhase.Queued(outstanding(), Sample.verdict()),
        new ItemPhase.Running(outstanding(), Sample.verdict(), "s1", "x:1", "r1", false),
        new ItemPhase.Failed(
            Attempts.FIRST, Sample.verdict(), begin.plusSeconds(240), "the agent ended with 1"),
        new ItemPhase.Dead("3 attempts failed: 401 Unauthorized"),
        new ItemPhase.Analyzed("s0"),
        new ItemPhase.Cancelled("cancelled by ann: duplicate of 7"),
        new ItemPhase.Closed("Done"));
  }

  private static Outstanding outstanding() {
    return new Outstanding("q2", Attempts.FIRST, begin.minusSeconds(900), null, null);
  }

  private static void item(ItemPhase phase) {
    String word = phase.word();
    String title = TITLES.getOrDefault(word, "An item that is " + word);
    var snapshot =
        Sample.snapshot("Bug", title, "The report.\n\n1. Start it.\n2. Wait.", List.of());
    var state = Sample.state(snapshot, phase, 0, begin.minus(Duration.ofDays(2)));
    rows.item(key(word), title, state);
    happened("item.changed", key(word), "", 900, Map.of("revision", "1"));
    if (word.equals("analyzed")) {
      session("s0", key(word), 60, Map.of("outcome", "completed", "exitCode", 0));
      String text = "## Cause\n\nThe cap is read **before** the upgrade, see `Ledger.java:3`.";
      var passage = new Analysis.Passage("src/Ledger.java", 1, 4, "int cap = 4;");
      rows.write(
          "INSERT INTO analysis (item, json) VALUES (?, ?)",
          key(word),
          RecordJson.write(Sample.answer("claude", "0123abc", text, passage)));
    }
  }

  /** The only runner, as the ledger has it, with the one live session. */
  private static void runner(@Nullable String refusing) {
    rows.ledger(
            new LedgerEntry.Init(3, 45_000, List.of()),
            new LedgerEntry.Runner("r1", 1, "A", 3, refusing, null, null, null),
            Sample.claim(key("running"), "q1", "s1"))
        .write("INSERT OR REPLACE INTO runner VALUES ('r1', 'A', 3, ?)", refusing);
  }

  private static void request(String item) {
    rows.write(
        "INSERT INTO request (item, request, source, turn) VALUES (?, 'q2', 'acme/web', 1)", item);
  }

  private static void live(String session, String item, int ago, int quiet, String doing) {
    rows.write(
        "INSERT INTO lease VALUES (?, ?, 'acme', 'r1', 1, ?, 48200, 110000)",
        session,
        item,
        begin.minusSeconds(ago));
    happened("session.spawned", item, session, ago, Map.of("pid", 4711, "level", "A"));
    happened(
        "session.progressed",
        item,
        session,
        quiet,
        Map.of("processes", 7, "doing", doing, "tokens", 48_200));
  }

  private static void session(String session, String item, int ago, Map<String, Object> end) {
    happened("session.claimed", item, session, ago + 90, Map.of("runner", "r1"));
    happened("session.spawned", item, session, ago + 89, Map.of("pid", 4711, "level", "A"));
    happened("session." + end.get("outcome"), item, session, ago, end);
  }

  /** What a lifecycle event changes. */
  private static void happened(
      String name, String subject, String session, int ago, Map<String, Object> data) {
    Instant time = begin.minusSeconds(ago);
    boolean poll = name.startsWith("poll");
    var all = new LinkedHashMap<>(data);
    all.put(poll ? "poll" : "session", session);
    rows.write(
        "INSERT INTO happened (id, type, name, subject, tenant, source, time, millis, counter,"
            + " session, outcome, data) VALUES (?1, 'flyball.' || ?2 || '.v1', ?2, ?3, 'acme',"
            + " '/runner/r1', ?4, ?5, 'acme', ?6, ?7, ?8)",
        name + session + ago,
        name,
        subject,
        time,
        time.toEpochMilli(),
        poll || session.isEmpty() ? null : session,
        data.get("outcome"),
        RecordJson.write(all));
  }
}
