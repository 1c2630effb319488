package dev.flyball.ops.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.why.ItemStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatusPageTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
  private static final String HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=y>&\u0000";
  private final StatusPage page = new StatusPage(NOW);

  @Test
  void whateverStrangersWriteIsText() {
    String html =
        page.status(
            summary(List.of(HOSTILE)),
            List.of(
                new RunningSession(
                    "s", HOSTILE, HOSTILE, 1, 7L, HOSTILE, 3L, NOW, 61_000, 600_000, NOW, true, 5,
                    1)),
            List.of(new ItemRow(HOSTILE, HOSTILE, "new", HOSTILE, "1", 1, HOSTILE, NOW, NOW, 0)),
            List.of(
                new EndedSession("s", HOSTILE, HOSTILE, "failed", HOSTILE, NOW, 1, 2, 3, 4, null)));
    String item =
        page.item(
            HOSTILE,
            new ItemStory(
                new ItemRow(HOSTILE, HOSTILE, "new", HOSTILE, "1", 1, HOSTILE, NOW, NOW, 0),
                null,
                List.of(
                    new ItemStory.Event(
                        NOW, HOSTILE, HOSTILE, HOSTILE, RecordJson.tree(Map.of("x", HOSTILE))))),
            List.of(new ItemStatus.Reason(ItemStatus.Word.PAUSED, HOSTILE, null, HOSTILE)),
            null);

    for (String each : List.of(html, item)) {
      assertThat(each).doesNotContain("<script", "<img", "onerror=y>", "\u0000");
      assertThat(each).contains("&lt;script&gt;alert(1)&lt;/script&gt;");
    }
  }

  @Test
  void anItemThatWaitsSaysWhyItIsNotRunning() {
    var waits = new ItemRow("a/b/1", "t", "queued", null, "1", 1, null, NOW, NOW, 0);
    var settled = new ItemRow("a/b/1", "t", "dead", "no", "1", 1, null, NOW, null, 0);
    var why =
        List.of(new ItemStatus.Reason(ItemStatus.Word.PAUSED, "global", NOW, "by ann: release"));

    assertThat(page.item("a/b/1", new ItemStory(waits, null, List.of()), why, null))
        .contains("<p>paused until " + NOW + ": by ann: release</p>");
    assertThat(page.item("a/b/1", new ItemStory(settled, null, List.of()), why, null))
        .doesNotContain("paused until");
  }

  @Test
  void aTimelineIsWordsAndNoJson() {
    var event =
        new ItemStory.Event(
            NOW,
            "flyball.session.completed.v1",
            "/runner/r1",
            "s1",
            RecordJson.parse(
                "{\"session\":\"s1\",\"token\":\"t:1\",\"outcome\":\"completed\",\"exitCode\":0,"
                    + "\"receipt\":{\"survivors\":0,\"killSteps\":[\"TERM\",\"KILL\"]},"
                    + "\"reason\":null,\"files\":[]}"));

    assertThat(event.name()).isEqualTo("session.completed");
    assertThat(event.gist()).isEqualTo("outcome completed");
    assertThat(event.words())
        .isEqualTo("outcome completed, exitCode 0, survivors 0, killSteps TERM KILL");
    assertThat(page.item("a/b/1", new ItemStory(null, null, List.of(event)), List.of(), null))
        .contains("<td>session.completed</td><td>s1</td><td>outcome completed, exitCode 0,")
        .doesNotContain("{", "flyball.session");
  }

  @Test
  void thePageSaysHowEverythingIs() {
    String html =
        page.status(
            summary(List.of()),
            List.of(
                new RunningSession(
                    "s",
                    "a/b/1",
                    "r1",
                    1,
                    7L,
                    "A",
                    3L,
                    NOW,
                    61_000,
                    600_000,
                    NOW.minusSeconds(9),
                    true,
                    5,
                    250_000)),
            List.of(),
            List.of());

    assertThat(html)
        .contains(
            "1 of 3 sessions live",
            "2 items unsettled, the oldest for 2m 0s",
            "href=\"/item?key=a%2Fb%2F1\"",
            "1m 1s / 10m 0s",
            "9s ago (hung)",
            "0.25 USD",
            "http-equiv=\"refresh\"")
        .doesNotContain("role=\"alert\"");
  }

  @Test
  void aBrokenPromiseIsAnAlert() {
    assertThat(page.status(summary(List.of("INV-1: x")), List.of(), List.of(), List.of()))
        .contains("role=\"alert\">INV-1: x<");
  }

  private static Summary summary(List<String> broken) {
    return new Summary(
        1,
        3,
        Map.of("new", 2L),
        2,
        NOW.minusSeconds(120),
        Map.of("completed", 4L),
        1_500_000,
        0,
        List.of(),
        List.of(new Summary.Runner("r1", "A", 4, null)),
        broken,
        NOW);
  }
}
