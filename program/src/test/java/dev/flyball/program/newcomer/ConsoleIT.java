package dev.flyball.program.newcomer;

import static dev.flyball.program.newcomer.Browser.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.Receipt;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.Folders;
import dev.flyball.testkit.FreePort;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/**
 * The console's pages in a real Chromium over a real run, which an operator reads and steers. The
 * console is a process beside the run, so that it can be killed alone. The tests share one run and
 * go on from each other: a start of everything takes longer than all of them.
 */
@Tag("long")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ConsoleIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  private static final String HOSTILE =
      "<script>document.title='x'</script><img src=x onerror=alert(1)>${7*7}\\u001b[31m";

  /** How many requests the page behind this tab has made since it was loaded. */
  private static final String ASKED =
      "return opener.performance.getEntriesByType('resource').length";

  private static final String ROWS = "table.cards tbody tr";

  @TempDir static Path folder;
  private static final int PORT = FreePort.take();
  private static final String URL = "http://127.0.0.1:" + PORT;
  private static Workplace place;

  @AutoClose("stop")
  @SuppressWarnings("UnusedVariable") // JUnit reads it
  private static Program up;

  @AutoClose private static Program console;
  @AutoClose private static Browser browser;
  private static String items = "";

  /** The page of an item whose session is the first. */
  private static String page = "";

  @BeforeAll
  static void start() {
    place = Workplace.in(folder);
    items = Workplace.item("3", "Follow up", "", "1");
    place.write("items.jsonl", items);
    String agent =
        place.agent(
            "agent.sh",
            """
            case "$(cat)" in *"Lease "[0-9]" expires"*) echo started; sleep 600 & sleep 600 ;; esac
            echo '<b>bold</b>' >&2; sleep 0.2; echo 'Read src/Ledger.java as ghp_abcdefghijklmnopqrst'
            until [ -e "$HOME/go" ]; do sleep 0.1; done
            echo 'The lease expires in src/Ledger.java:3 although its holder lives.'
            """);
    place.write(
        "flyball.yaml",
        """
        tenant: acme
        sources: [{name: web, type: jsonl, path: items.jsonl, interval: 1s}]
        sessions: {repo: repo, agent: "%s"}
        console: {listen: "127.0.0.1:0"}
        topics: {prefix: "%s"}
        """
            .formatted(agent, KAFKA.topics().prefix()));
    up = Program.up(folder, "--bootstrap-servers", KAFKA.bootstrapServers());
    console = startConsole();
    browser = new Browser(folder, URL);
  }

  private static Program startConsole() {
    return Program.start(
            folder,
            Map.of("FLYBALL_CONSOLE_LISTEN", "127.0.0.1:" + PORT),
            "console",
            "--bootstrap-servers",
            KAFKA.bootstrapServers(),
            "--data",
            folder.resolve("console").toString())
        .awaitReady();
  }

  @Test
  @Order(1)
  void anEmptyViewSaysSoAndNamesTheKcatLine() {
    browser.open("/");
    assertThat(browser.all("#live .empty")).isNotEmpty();
    assertThat(browser.text())
        .contains(
            "kcat -C -e -q -b "
                + KAFKA.bootstrapServers()
                + " -t "
                + KAFKA.topics().sessionLedger());
    healthy("now");
  }

  @Test
  @Order(2)
  void sessionsAppearWithoutAReload() {
    browser.script(
        """
        new MutationObserver(function () {
          if (!window.seen && document.querySelector("table.cards")) window.seen = Date.now();
        }).observe(document.getElementById("live"), {childList: true});
        """);
    String[] titles = {
      "Lease expires too early",
      "Renewal is lost when the broker restarts",
      "Cap is 4 after an upgrade although 3 is set",
      "Export of the items table loses its last column",
      "Sign-in fails for names with an umlaut"
    };
    for (int i = 0; i < titles.length; i++) {
      items += Workplace.item(i == 0 ? "1" : "51" + i, titles[i], Workplace.LEASE, "1");
    }
    place.write("items.jsonl", items);
    await(() -> assertThat(browser.all("table.cards tbody tr")).hasSize(3));
    JsonNode first = console.json("/api/ps").path(0);
    page = "/item?key=" + URLEncoder.encode(first.path("item").asText(), StandardCharsets.UTF_8);
    long since = Instant.parse(first.path("since").asText()).toEpochMilli();
    assertThat(browser.script("return window.seen"))
        .as("milliseconds from the claim to the page, on a busy machine")
        .isInstanceOfSatisfying(Long.class, it -> assertThat(it - since).isLessThan(2_000));
    await(() ->
        assertThat(browser.text())
            .contains("output ", "Next up", "at cap", "Lease expires too early")
            .doesNotContain("starting"));
    await(() ->
        assertThat(browser.find(".doing").getText())
            .isEqualTo("Read src/Ledger.java as [redacted]"));
    healthy("now");
  }

  @Test
  @Order(3)
  void theFirstViewFitsASmallPhone() {
    browser.open("/").size(360, 740);
    healthy("now-narrow");
    browser.size(1280, 800);
    browser.open("/items");
    healthy("items");
  }

  @Test
  @Order(4)
  void theKeyboardAloneReachesEverything() {
    browser.open("/");
    browser.press(Keys.TAB);
    assertThat(browser.focused("textContent")).isEqualTo("Skip to content");
    browser.press(Keys.ENTER);
    // Past what may be done with everything.
    for (int i = 0;
        i < 30 && !String.valueOf(browser.focused("href")).contains("/item?key=");
        i++) {
      browser.press(Keys.TAB);
    }
    assertThat(browser.focused("href")).asString().contains("/item?key=acme%2Fweb%2F");
    assertThat(browser.script("return getComputedStyle(document.activeElement).outlineStyle"))
        .isEqualTo("solid");
    Object before = browser.script("return document.querySelector('.clock').textContent");
    await(() ->
        assertThat(browser.script("return document.querySelector('.clock').textContent"))
            .isNotEqualTo(before));
    assertThat(browser.focused("href")).as("kept over refreshes").asString().contains("/item?key=");
    browser.script("document.querySelector('.tile a[href=\"/history\"]').focus()");
    browser.script("window.tile = document.activeElement; htmx.trigger('#pull', 'refresh')");
    await(() -> assertThat(browser.script("return window.tile.isConnected")).isEqualTo(false));
    assertThat(browser.focused("href")).as("of a link without an id").isEqualTo(URL + "/history");
    browser.script("document.querySelector('tbody tr a').focus()");
    browser.press(Keys.ENTER);
    await(() -> assertThat(browser.driver().getCurrentUrl()).contains("/item?key="));
    keysOfOneLetterMoveAndOpen();
  }

  private static void keysOfOneLetterMoveAndOpen() {
    browser.press("g", "i");
    await(() -> assertThat(browser.driver().getCurrentUrl()).isEqualTo(URL + "/items"));
    browser.press("j", "j", "k");
    assertThat(browser.focused("href"))
        .isEqualTo(browser.find("tbody tr a").getDomProperty("href"));
    browser.press("?");
    assertThat(browser.find("#keys").getText()).contains("g n Now");
    browser.press("/", "j?g", Keys.ENTER);
    await(() -> assertThat(browser.driver().getCurrentUrl()).contains("text=j%3Fg"));
    browser.open("/").press("/");
    await(() -> assertThat(browser.focused("type")).isEqualTo("search"));
    browser.open("/items").press("j", Keys.ENTER);
    await(() -> assertThat(browser.driver().getCurrentUrl()).contains("/item?key="));
    browser.press("g", "n");
    await(() -> assertThat(browser.driver().getCurrentUrl()).isEqualTo(URL + "/"));
    await(() -> browser.driver().findElement(By.linkText("Waiting")).click());
    await(() -> assertThat(browser.driver().getCurrentUrl()).contains("/items?state=queued"));
  }

  @Test
  @Order(5)
  void aLogIsFollowedToItsEnd() {
    browser.open(page);
    await(() ->
        assertThat(browser.find("#log").getText()).contains("Read src/Ledger.java", "<b>bold</b>"));
    healthy("item-live");
    browser.find("a[href^='/log']").click();
    await(() -> assertThat(browser.find("#log").getText()).contains("<b>bold</b>"));
    healthy();
    place.write("go", "");
    await(() -> assertThat(browser.find("#log").getText()).contains("although its holder lives."));
    assertThat(browser.find("#log").getText().split("Read src/Ledger", -1)).as("once").hasSize(2);
  }

  @Test
  @Order(6)
  void anEndedItemShowsItsAnalysisAndTheReasonOfEachStep() {
    browser.open(page);
    await(() ->
        assertThat(browser.text())
            .contains(
                "analyzed",
                "Session completed",
                "exit code 0",
                "survivors 0",
                "The lease expires in src/Ledger.java:3",
                "Ledger.expireLease ends a lease although",
                "Bug, Active, 0 comments"));
    healthy();
    browser
        .driver()
        .executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", "Asia/Tokyo"));
    browser.open(page);
    WebElement ended = browser.find("#item-main td time");
    assertThat(ended.getDomAttribute("title")).endsWith(" UTC");
    assertThat(LocalDateTime.parse(ended.getText().replace(' ', 'T')))
        .isEqualTo(
            LocalDateTime.ofInstant(
                    Instant.parse(ended.getDomAttribute("datetime")), ZoneId.of("Asia/Tokyo"))
                .truncatedTo(ChronoUnit.MINUTES));
    browser.driver().executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", ""));
    await(() -> {
      browser.open("/history");
      assertThat(browser.text()).contains("completed", "Average duration");
      assertThat(browser.all(".plot canvas")).as("charts of the metrics topic").hasSize(4);
    });
  }

  @Test
  @Order(7)
  void everythingCanBeReadWithoutScripts() {
    try (var plain = new Browser(folder, URL, "--blink-settings=scriptEnabled=false")) {
      await(() -> assertThat(plain.open("/").all("#live .empty")).isNotEmpty());
      plain.driver().findElement(By.linkText("Items")).click();
      plain.find("input[type=search]").sendKeys("Follow", Keys.ENTER);
      await(() -> assertThat(plain.text()).contains("Follow up", "skipped"));
      plain.driver().findElement(By.linkText("Follow up")).click();
      await(() -> assertThat(plain.text()).contains("Timeline", "Skipped"));
      assertThat(plain.find("header time").getText()).endsWith(" UTC");
      assertThat(plain.all("button[data-copy]")).allMatch(it -> !it.isDisplayed());
      plain.open("/history").driver().findElement(By.linkText("Log")).click();
      await(() -> assertThat(plain.text()).contains("Read src/Ledger.java"));
    }
  }

  @Test
  @Order(8)
  void whatATrackerWritesIsTextAndNothingElse() {
    place.write("items.jsonl", items + Workplace.item("666", HOSTILE, Workplace.LEASE, "1"));
    for (String path : List.of("/items?text=script", "/item?key=acme%2Fweb%2F666")) {
      await(() -> {
        browser.open(path);
        assertThat(browser.text()).contains("<script>document.title='x'</script>", "${7*7}");
      });
      assertThat(browser.driver().getTitle()).endsWith("Flyball");
      assertThat(browser.all("main script, main img")).isEmpty();
      assertThat(browser.complaints()).isEmpty();
    }
  }

  @Test
  @Order(9)
  void aPauseFromThePageSaysWhyTheNextItemWaits() {
    browser.open("/");
    browser.act("pause", "lunch");
    // The page that answers may know the health of a moment later than its own pauses.
    await(() -> assertThat(browser.text()).contains("Paused.", "lunch"));

    operated(1);
    await(() ->
        assertThat(browser.all(".reason").stream().map(WebElement::getText))
            .singleElement()
            .asString()
            .contains("paused", "lunch"));
    await(() -> assertThat(browser.text()).contains("Next up", "Lease 1 expires"));
    healthy();

    browser.act("resume", "we are back");
    await(() -> assertThat(browser.all(ROWS)).hasSize(1));
    await(() -> assertThat(browser.text()).doesNotContain("Paused.", "Next up"));
    healthy();
  }

  @Test
  @Order(10)
  void aHiddenTabEndsItsStreamAndCatchesUpWhenItIsShown() {
    browser
        .driver()
        .executeCdpCommand(
            "Page.addScriptToEvaluateOnNewDocument",
            Map.of(
                "source",
                """
                window.streams = [];
                window.EventSource = class extends EventSource {
                  constructor(url, options) { super(url, options); window.streams.push(this); }
                };
                """));
    browser.open("/");
    await(() -> assertThat(streams("window")).isEqualTo(List.of(1L)));
    String page = browser.driver().getWindowHandle();
    // The page is seen through the tab that hides it: to switch to it would show it.
    browser.script("window.open('/static/mark.svg')");
    browser.driver().getWindowHandles().stream()
        .filter(it -> !it.equals(page))
        .forEach(it -> browser.driver().switchTo().window(it));
    await(() -> assertThat(streams("opener")).as("closed").isEqualTo(List.of(2L)));
    assertThat(browser.script("return opener.document.hidden")).isEqualTo(true);
    Object asked = browser.script(ASKED);

    operated(2);
    await(() -> assertThat(console.json("/api/ps")).hasSize(2));
    assertThat(browser.script("return opener.document.querySelectorAll('" + ROWS + "').length"))
        .isEqualTo(1L);
    assertThat(browser.script(ASKED)).as("requests of a hidden page").isEqualTo(asked);

    browser.driver().close();
    browser.driver().switchTo().window(page);
    await(() -> assertThat(browser.all(ROWS)).hasSize(2));
    await(() -> assertThat(streams("window")).as("closed, open").isEqualTo(List.of(2L, 1L)));
    healthy();
  }

  @Test
  @Order(11)
  void theKeyboardAloneEndsASessionAndReadsItsReceipt() {
    String session = console.json("/api/ps").path(0).path("session").asText();
    browser.open("/");
    browser.tabTo("id", "cancel-" + session);
    browser.press(Keys.ENTER, Keys.TAB, "wrong item", Keys.ENTER);
    await(() -> assertThat(browser.all("#receipt")).hasSize(1));
    browser.tabTo("textContent", "Items");
    browser.press(Keys.ENTER);
    await(() -> assertThat(browser.driver().getCurrentUrl()).isEqualTo(URL + "/items"));
    browser.tabTo("href", URL + "/item?key=acme%2Fweb%2F71");
    browser.press(Keys.ENTER);
    await(() -> assertThat(browser.driver().getCurrentUrl()).contains("/item?key="));
    await(() -> {
      browser.driver().navigate().refresh();
      assertThat(browser.text()).contains("Session cancelled", "wrong item", "survivors 0");
    });
    assertThat(ProcSampler.withCookie(session)).isEmpty();
    healthy();
  }

  @Test
  @Order(12)
  void theAddressOfASearchShowsTheSameInAnotherProfile() {
    browser.open("/items");
    browser.find("#state-cancelled").click();
    browser.find("input[type=search]").sendKeys("lease 1", Keys.ENTER);
    await(() -> assertThat(browser.driver().getCurrentUrl()).contains("text=lease"));
    String shared = browser.driver().getCurrentUrl().substring(URL.length());
    assertThat(found(browser))
        .singleElement()
        .asString()
        .contains("Lease 1 expires", "acme/web/71");
    try (var colleague = new Browser(folder, URL, "--lang=de")) {
      assertThat(found(colleague.open(shared))).isEqualTo(found(browser));
      assertThat(colleague.find("#state-cancelled").getDomAttribute("aria-current"))
          .isEqualTo("page");
      assertThat(colleague.find("input[type=search]").getDomProperty("value")).isEqualTo("lease 1");
      assertThat(colleague.complaints()).isEmpty();
    }
    healthy();
  }

  @Test
  @Order(13)
  void aKilledConsoleIsReconnectedToAndAnswersTheSameFromTheTopics() throws IOException {
    browser.open("/");
    browser.script("window.marker = 'not reloaded'");
    await(() -> assertThat(streams("window")).isEqualTo(List.of(1L)));
    List<String> before = answers();
    healthy();

    console.kill9();
    await(() -> assertThat(lost()).matches("Reconnecting, as of \\d\\d:\\d\\d:\\d\\d"));
    assertThat(browser.barriers()).isEmpty();
    Folders.delete(folder.resolve("console"));
    console = startConsole();

    await(() -> assertThat(lost()).isEmpty());
    await(() -> assertThat(answers()).isEqualTo(before));
    operated(3);
    await(() -> assertThat(browser.all(ROWS)).hasSize(2));
    assertThat(browser.script("return window.marker")).isEqualTo("not reloaded");
    assertThat(browser.complaints())
        .as("only the lost connection and the start, as the browser and htmx log them")
        .allMatch(it ->
            it.contains(URL + "/events - Failed")
                // A part of the page that was on its way when the console was killed.
                || it.contains(URL + "/?part=live&page=0 - Failed")
                || it.contains("htmx:sendError")
                || it.contains("htmx:afterRequest")
                || it.contains("[object Event]")
                || it.contains("a status of 503")
                || it.contains("Error Code 503"));
    assertThat(browser.barriers()).isEmpty();
  }

  @Test
  @Order(14)
  void theHistoryShowsPollsActionsAndDeadLetters() {
    place.write("items.jsonl", items + "{no item\n");
    seen("/history/actions", "cancel", "wrong item", "done");
    seen("/history/dead-letters", "items.jsonl");
    seen("/history/polls", "acme/web", "finished", "Next poll");
    browser.find("tbody a").click();
    await(() -> assertThat(browser.text()).contains("Polls of acme/web"));
    for (String path :
        List.of("/history/actions", "/history/dead-letters", "/history/polls?source=acme%2Fweb")) {
      browser.open(path).size(360, 740);
      healthy();
    }
    browser.size(1280, 800);
  }

  @Test
  @Order(15)
  void theHistoryDrawsWhatEndedInItsRange() {
    int ended = 120;
    pastSessions(ended);
    await(() -> {
      browser.open("/history");
      assertThat(browser.find(".tile b").getText()).asInt().isGreaterThan(ended);
      Object drawn =
          browser.script(
              """
              return JSON.parse(document.querySelectorAll(".plot")[1].dataset.series)
                .slice(1).flat().reduce(function (sum, it) { return sum + (it || 0); }, 0)
              """);
      assertThat(String.valueOf(drawn))
          .as("ended sessions of the windows")
          .asInt()
          .isGreaterThan(ended);
    });
    healthy("history");
    browser.size(360, 740);
    healthy();
    browser.size(1280, 800);
  }

  /**
   * Writes when each session of five hours was claimed and how it ended, so that the history has
   * something to draw; nothing of it was started or is in the ledger.
   */
  private static void pastSessions(int count) {
    var random = new Random(4);
    Instant begin = Instant.now().minus(Duration.ofMinutes(330));
    for (int n = 0; n < count; n++) {
      Instant claimed = begin.plus(Duration.ofHours(5).multipliedBy(n).dividedBy(count));
      long running = 60_000L + random.nextInt(240_000);
      boolean failed = random.nextInt(9) == 0;
      EventData data =
          EventData.EMPTY
              .with(Field.SESSION, "past-" + n)
              .with(Field.TOKEN, "Bo8cXnR6TfSgkQ0vNpHb4w:" + n)
              .with(Field.REQUEST, "past-" + n);
      KAFKA.produce(event(n, EventType.SESSION_CLAIMED, claimed, data));
      KAFKA.produce(
          event(
              n,
              failed ? EventType.SESSION_FAILED : EventType.SESSION_COMPLETED,
              claimed.plusMillis(running),
              data.with(Field.OUTCOME, failed ? "failed" : "completed")
                  .with(Field.EXIT_CODE, failed ? 1 : 0)
                  .with(Field.WAITING_MS, 900)
                  .with(Field.RUNNING_MS, running)
                  .with(Field.TOKENS, 20_000 + random.nextInt(60_000))
                  .with(Field.COST_MICROS, 50_000 + random.nextInt(350_000))
                  .with(Field.RECEIPT, new Receipt("A+", 6, 200L << 20, List.of(), 0))));
    }
  }

  private static LifecycleEvent event(int n, EventType type, Instant time, EventData data) {
    String source = type == EventType.SESSION_CLAIMED ? "/runner/r1" : "/triage";
    return new LifecycleEvent(type + "-" + n, type, source, "acme/web/" + (200 + n), time, data);
  }

  private static void seen(String path, String... texts) {
    await(() -> {
      browser.open(path);
      assertThat(browser.text()).contains(texts);
    });
  }

  /** The first of the items whose sessions do not end, the second and so on, up to this one. */
  private static void operated(int last) {
    var lines = new StringBuilder(items);
    for (int n = 1; n <= last; n++) {
      lines.append(Workplace.item("7" + n, "Lease " + n + " expires", Workplace.LEASE, "1"));
    }
    place.write("items.jsonl", lines.toString());
  }

  /** The state of each stream that the page opened: 1 open, 2 closed. */
  private static @Nullable Object streams(String window) {
    return browser.script(
        "return " + window + ".streams.map(function (it) { return it.readyState; })");
  }

  private static String lost() {
    return browser.find("#lost").getText();
  }

  private static List<String> found(Browser of) {
    return of.all("tbody td.title").stream().map(WebElement::getText).toList();
  }

  private static List<String> answers() {
    return Stream.of("/api/items", "/api/item?key=acme%2Fweb%2F71")
        .map(it -> console.get(it).body())
        .toList();
  }

  /** Nothing to complain of: neither the console, nor the policy, nor axe-core. */
  private static void healthy() {
    var _ = browser.healthy(browser.driver().getCurrentUrl());
  }

  private static void healthy(String picture) {
    browser.picture(picture);
    healthy();
  }
}
