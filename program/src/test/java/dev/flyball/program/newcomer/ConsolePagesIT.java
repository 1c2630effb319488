package dev.flyball.program.newcomer;

import static dev.flyball.program.newcomer.Browser.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.broker.BrokerSecret;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.program.launch.Program;
import dev.flyball.program.roles.KafkaAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/**
 * The console's pages in a real Chromium over a real run. The tests share one run and go on from
 * each other: a start of everything takes longer than all of them.
 */
@Tag("long")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ConsolePagesIT {
  private static final Pattern READY = Pattern.compile("ready console=(http://[^ ]+) kafka=(\\S+)");
  private static final String HOSTILE =
      "<script>document.title='x'</script><img src=x onerror=alert(1)>${7*7}\\u001b[31m";

  private static final String DARK = "rgb(15, 17, 20)";

  @TempDir static Path folder;

  private static Desk desk;
  private static Program up;
  private static Browser browser;
  private static String kafka;
  private static String items = "";

  /** The page of an item whose session is the first. */
  private static String page = "";

  @BeforeAll
  static void start() {
    desk = new Desk(folder);
    items = Desk.item("3", "Follow up", "", "1");
    desk.write("items.jsonl", items);
    String agent =
        desk.agent(
            "agent.sh",
            "cat >/dev/null; echo 'Read src/Ledger.java'; echo '<b>bold</b>' >&2\n"
                + "until [ -e "
                + folder
                + "/go ]; do sleep 0.1; done\n"
                + "echo 'The lease expires in src/Ledger.java:3 although its holder lives.'\n");
    desk.write(
        "flyball.yaml",
        """
        tenant: acme
        sources: [{name: web, type: jsonl, path: items.jsonl, interval: 1s}]
        sessions: {repo: repo, agent: "%s"}
        console: {listen: "127.0.0.1:0"}
        broker: {listen: "127.0.0.1:0"}
        """
            .formatted(agent));
    up = Program.start(folder, "up");
    up.awaitLine("ready console=");
    Matcher ready = READY.matcher(up.out());
    assertThat(ready.find()).as(up::out).isTrue();
    kafka = ready.group(2);
    browser = new Browser(folder, ready.group(1));
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
    if (up != null) {
      up.close();
    }
  }

  @Test
  @Order(1)
  void anEmptyViewSaysSoAndNamesTheKcatLine() {
    browser.open("/");
    assertThat(browser.all("#live .empty")).isNotEmpty();
    assertThat(browser.text()).contains("kcat -C -e -q -b " + kafka + " -t flyball.session-ledger");
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
      items += Desk.item(i == 0 ? "1" : "51" + i, titles[i], Desk.LEASE, "1");
    }
    desk.write("items.jsonl", items);
    await(() -> assertThat(browser.all("table.cards tbody tr")).hasSize(3));
    JsonNode first = live().path(0);
    page = "/item?key=" + URLEncoder.encode(first.path("item").asText(), StandardCharsets.UTF_8);
    long since = Instant.parse(first.path("since").asText()).toEpochMilli();
    assertThat(browser.script("return window.seen"))
        .as("milliseconds from the claim to the page, on a busy machine")
        .isInstanceOfSatisfying(Long.class, it -> assertThat(it - since).isLessThan(2_000));
    await(() ->
        assertThat(browser.text())
            .contains("output ", "Next up", "at cap", "Lease expires too early")
            .doesNotContain("starting"));
    healthy("now");
  }

  @Test
  @Order(3)
  void aSessionIsCancelledFromThePageAndItsReceiptIsShown() {
    // The page may replace a form that is closed, also between finding and clicking it.
    await(() -> {
      if (browser.all("table.cards details[open]").isEmpty()) {
        browser.all("table.cards summary").getLast().click();
      }
      assertThat(browser.all("table.cards details[open]")).hasSize(1);
    });
    WebElement form = browser.find("table.cards details[open]");
    String key = form.findElement(By.name("key")).getDomProperty("value");
    form.findElement(By.name("why")).sendKeys("not worth it", Keys.ENTER);
    await(() -> assertThat(browser.all("#receipt")).hasSize(1));
    await(() -> {
      browser.open("/item?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8));
      assertThat(browser.text()).contains("Session cancelled", "not worth it", "survivors 0");
    });
  }

  @Test
  @Order(4)
  void theViewsAreReadableInTheDarkAndAt360Pixels() {
    for (String[] view : new String[][] {{"/", "now"}, {"/items", "items"}}) {
      browser.open(view[0]).dark(true);
      assertThat(background()).isEqualTo(DARK);
      healthy(view[1] + "-dark");
      browser.dark(false).size(360, 740);
      assertThat(browser.scrollsSideways()).as(view[1]).isFalse();
      healthy(view[1] + "-narrow");
      browser.size(1280, 800);
    }
  }

  @Test
  @Order(5)
  void aSearchIsAnAddress() {
    browser.open("/items");
    WebElement search = browser.find("input[type=search]");
    search.sendKeys("expires too", Keys.ENTER);
    await(() -> assertThat(browser.driver().getCurrentUrl()).contains("text=expires"));
    String shared = browser.driver().getCurrentUrl();
    browser.open("/").driver().get(shared);
    assertThat(browser.all("tbody tr")).hasSize(1);
    assertThat(browser.text()).contains("Lease expires too early").doesNotContain("Follow up");
    assertThat(browser.find("input[type=search]").getDomProperty("value")).isEqualTo("expires too");
    browser.open("/items");
    healthy("items");
  }

  @Test
  @Order(6)
  void theKeyboardAloneReachesEverything() {
    browser.open("/");
    browser.press(Keys.TAB);
    assertThat(browser.focused("textContent")).isEqualTo("Skip to content");
    browser.press(Keys.ENTER);
    // Past what may be done with everything.
    for (int i = 0; i < 9 && !String.valueOf(browser.focused("href")).contains("/item?key="); i++) {
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
    browser.press(Keys.ENTER);
    await(() -> assertThat(browser.driver().getCurrentUrl()).contains("/item?key="));
  }

  @Test
  @Order(7)
  void aLogIsFollowedToItsEnd() {
    browser.open(page);
    await(() ->
        assertThat(browser.find("#log").getText()).contains("Read src/Ledger.java", "<b>bold</b>"));
    healthy("item-live");
    browser.find("a[href^='/log']").click();
    await(() -> assertThat(browser.find("#log").getText()).contains("<b>bold</b>"));
    healthy("log");
    desk.write("go", "");
    await(() -> assertThat(browser.find("#log").getText()).contains("although its holder lives."));
    assertThat(browser.find("#log").getText().split("Read src/Ledger", -1)).as("once").hasSize(2);
  }

  @Test
  @Order(8)
  void anEndedItemShowsItsAnalysisAndTheReasonOfEachStep() {
    browser.open(page);
    await(() ->
        assertThat(browser.text())
            .contains(
                "analyzed",
                "Session completed",
                "exit code 0",
                "survivors 0",
                "The lease expires in src/Ledger.java:3"));
    healthy("item");
    await(() -> {
      browser.open("/history");
      assertThat(browser.text()).contains("completed", "Average duration");
      assertThat(browser.all(".plot canvas")).as("charts of the metrics topic").hasSize(4);
    });
  }

  @Test
  @Order(9)
  void everythingCanBeReadWithoutScripts() {
    try (var plain = new Browser(folder, url(), "--blink-settings=scriptEnabled=false")) {
      await(() -> assertThat(plain.open("/").all("#live .empty")).isNotEmpty());
      plain.driver().findElement(By.linkText("Items")).click();
      plain.find("input[type=search]").sendKeys("Follow", Keys.ENTER);
      await(() -> assertThat(plain.text()).contains("Follow up", "skipped"));
      plain.driver().findElement(By.linkText("Follow up")).click();
      await(() -> assertThat(plain.text()).contains("Timeline", "Skipped"));
      assertThat(plain.all("button[data-copy]")).allMatch(it -> !it.isDisplayed());
      plain.open("/history").driver().findElement(By.linkText("Log")).click();
      await(() -> assertThat(plain.text()).contains("Read src/Ledger.java"));
    }
  }

  @Test
  @Order(10)
  void whatATrackerWritesIsTextAndNothingElse() {
    desk.write("items.jsonl", items + Desk.item("666", HOSTILE, Desk.LEASE, "1"));
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
  @Order(11)
  void theHistoryShowsPollsActionsAndDeadLetters() {
    desk.write("items.jsonl", items + "{no item\n");
    seen("/history/actions", "cancel", "not worth it", "done");
    healthy("history-actions");
    seen("/history/dead-letters", "items.jsonl");
    seen("/history/polls", "acme/web", "finished", "Next poll");
    browser.find("tbody a").click();
    await(() -> assertThat(browser.text()).contains("Polls of acme/web"));
    healthy("history-polls");
    for (String path :
        List.of("/history/actions", "/history/dead-letters", "/history/polls?source=acme%2Fweb")) {
      browser.open(path).size(360, 740);
      assertThat(browser.scrollsSideways()).as(path).isFalse();
      assertThat(browser.barriers()).as(path).isEmpty();
      browser.dark(true);
      assertThat(browser.barriers()).as(path + " in the dark").isEmpty();
      browser.dark(false).size(1280, 800);
    }
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Order(12)
  void theHistoryDrawsWhatEndedInItsRange() {
    var owner = BrokerSecret.clientProperties(KafkaAddress.broker(folder.resolve(".flyball")));
    PastSessions.write(new KafkaSettings(Topics.DEFAULT, owner.orElseThrow()));
    await(() -> {
      browser.open("/history");
      assertThat(browser.find(".tile b").getText()).asInt().isGreaterThan(PastSessions.COUNT);
      assertThat(drawn(1)).as("ended sessions of the windows").isGreaterThan(PastSessions.COUNT);
    });
    healthy("history");
    browser.dark(true);
    assertThat(background()).isEqualTo(DARK);
    healthy("history-dark");
    browser.dark(false).size(360, 740);
    assertThat(browser.scrollsSideways()).isFalse();
    healthy("history-narrow");
    browser.size(1280, 800);
  }

  private static String background() {
    return String.valueOf(browser.script("return getComputedStyle(document.body).backgroundColor"));
  }

  /** The sum of all values of a chart. */
  private static long drawn(int chart) {
    Object sum =
        browser.script(
            """
            return JSON.parse(document.querySelectorAll(".plot")[%d].dataset.series)
              .slice(1).flat().reduce(function (sum, it) { return sum + (it || 0); }, 0)
            """
                .formatted(chart));
    return Long.parseLong(String.valueOf(sum));
  }

  private static void seen(String path, String... texts) {
    await(() -> {
      browser.open(path);
      assertThat(browser.text()).contains(texts);
    });
  }

  /** Nothing to complain of: neither the console, nor the policy, nor axe-core. */
  private static void healthy(String picture) {
    browser.picture(picture);
    assertThat(browser.barriers()).as(picture).isEmpty();
    assertThat(browser.complaints()).as(picture).isEmpty();
  }

  private static JsonNode live() {
    return Program.run(folder, "ps", "--json").json();
  }

  private static String url() {
    Matcher ready = READY.matcher(up.out());
    assertThat(ready.find()).isTrue();
    return ready.group(1);
  }
}
