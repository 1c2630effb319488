package dev.flyball.ops.console.page;

import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.why.ItemStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The console's pages as text. They reload themselves every few seconds; no script is needed or
 * allowed.
 */
public final class StatusPage {
  /** The style sheet of all pages. */
  public static final String STYLE =
      """
      :root { color-scheme: light dark; }
      body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 75rem; padding: 0 1rem; }
      h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 1.6rem; }
      table { border-collapse: collapse; width: 100%; }
      th, td { text-align: left; padding: .25rem .6rem .25rem 0; vertical-align: top; border-bottom: 1px solid #8884;
        overflow-wrap: anywhere; }
      th { white-space: nowrap; }
      pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #8884; padding: .6rem; }
      .broken { border: 2px solid #c00; padding: .4rem .8rem; }
      """;

  private static final int REFRESH_SECONDS = 5;

  private final Instant now;

  /** Pages as of this time. */
  public StatusPage(Instant now) {
    this.now = now;
  }

  /** The first page. */
  public String status(
      Summary summary, List<RunningSession> live, List<ItemRow> items, List<EndedSession> ended) {
    HtmlWriter html = begin("Flyball", true);
    html.markup("<h1>Flyball</h1>\n");
    for (String broken : summary.broken()) {
      html.markup("<p class=\"broken\" role=\"alert\">").text(broken).markup("</p>\n");
    }
    head(html, summary);
    sessions(html, live);
    items(html, items);
    ended(html, ended);
    return end(html);
  }

  /** One item's page. */
  public String item(
      String key, ItemStory story, List<ItemStatus.Reason> why, @Nullable Analysis analysis) {
    HtmlWriter html = begin(key, false);
    html.markup("<p><a href=\"/\">all items</a></p>\n<h1>").text(key).markup("</h1>\n");
    ItemRow item = story.item();
    if (item != null) {
      html.markup("<p><strong>").text(item.title()).markup("</strong></p>\n<p>").text(item.state());
      html.text(item.reason() == null ? "" : ": " + item.reason()).markup("</p>\n");
      if (item.waitingSince() != null) {
        why.forEach(reason -> html.markup("<p>").text(line(reason)).markup("</p>\n"));
      }
    }
    if (analysis != null) {
      analysis(html, analysis);
    }
    html.markup("<h2>Timeline</h2>\n").head("time", "event", "session", "what");
    for (ItemStory.Event event : story.events()) {
      String session = event.session();
      html.row(event.time(), event.name(), session == null ? "" : session, event.words());
    }
    return end(html.markup("</table>\n"));
  }

  private static String line(ItemStatus.Reason reason) {
    return reason.reason().label()
        + (reason.until() == null ? "" : " until " + reason.until())
        + ": "
        + reason.detail();
  }

  private void head(HtmlWriter html, Summary summary) {
    html.markup("<p>").text(summary.live() + " of " + summary.cap() + " sessions live");
    html.text(
        " \u00b7 "
            + summary.backlog()
            + (summary.backlog() == 1 ? " item unsettled" : " items unsettled"));
    Instant oldest = summary.oldest();
    html.text(oldest == null ? "" : ", the oldest for " + age(oldest));
    html.text(" \u00b7 " + Dollars.rounded(summary.costMicros()) + " USD spent");
    html.text(" \u00b7 " + summary.deadLetters() + " dead letters").markup("</p>\n<p>");
    html.text("items: " + counts(summary.items())).markup("<br>");
    html.text("ended sessions: " + counts(summary.ended())).markup("</p>\n");
    summary.pauses().forEach(pause -> html.markup("<p>").text(pause).markup("</p>\n"));
    html.markup("<h2>Runners</h2>\n").head("runner", "containment", "slots", "gate");
    for (Summary.Runner runner : summary.runners()) {
      String refusing = runner.refusing();
      html.row(
          runner.id(),
          runner.level(),
          runner.slots(),
          refusing == null ? "open" : "closed: " + refusing);
    }
    html.markup("</table>\n");
  }

  private void sessions(HtmlWriter html, List<RunningSession> live) {
    html.markup("<h2>Live sessions</h2>\n")
        .head(
            "item",
            "runner",
            "pid",
            "processes",
            "elapsed / limit",
            "last progress",
            "tokens",
            "cost");
    for (RunningSession session : live) {
      Instant progress = session.progressAt();
      html.markup("<tr>")
          .itemCell(session.item())
          .cell(session.runner())
          .cell(known(session.pid()))
          .cell(known(session.processes()))
          .cell(
              TimeSpan.age(Duration.ofMillis(session.elapsedMs()))
                  + " / "
                  + TimeSpan.age(Duration.ofMillis(session.limitMs())))
          .cell(
              (progress == null ? "-" : age(progress) + " ago") + (session.hung() ? " (hung)" : ""))
          .cell(session.tokens())
          .cell(Dollars.rounded(session.costMicros()) + " USD")
          .markup("</tr>\n");
    }
    html.markup("</table>\n");
  }

  private void items(HtmlWriter html, List<ItemRow> items) {
    html.markup("<h2>Items</h2>\n").head("item", "title", "state", "why", "waiting");
    for (ItemRow item : items) {
      String reason = item.reason();
      Instant waiting = item.waitingSince();
      html.markup("<tr>")
          .itemCell(item.key())
          .cell(item.title())
          .cell(item.state())
          .cell(reason == null ? "" : reason)
          .cell(waiting == null ? "" : age(waiting))
          .markup("</tr>\n");
    }
    html.markup("</table>\n");
  }

  private void ended(HtmlWriter html, List<EndedSession> ended) {
    html.markup("<h2>Sessions that ended last</h2>\n")
        .head("item", "outcome", "reason", "ended", "ran", "cost", "survivors");
    for (EndedSession session : ended) {
      String reason = session.reason();
      html.markup("<tr>")
          .itemCell(session.item())
          .cell(session.outcome())
          .cell(reason == null ? "" : reason)
          .cell(age(session.endedAt()) + " ago")
          .cell(TimeSpan.age(Duration.ofMillis(session.runningMs())))
          .cell(Dollars.rounded(session.costMicros()) + " USD")
          .cell(session.survivors() == null ? "unknown" : session.survivors())
          .markup("</tr>\n");
    }
    html.markup("</table>\n");
  }

  private static void analysis(HtmlWriter html, Analysis analysis) {
    String model = analysis.model();
    html.markup("<h2>Analysis</h2>\n<p>")
        .text("revision " + analysis.revision() + ", by " + analysis.agent())
        .text(model == null ? "" : ", " + model)
        .markup("</p>\n<pre>")
        .text(analysis.text())
        .markup("</pre>\n");
    for (Analysis.Passage passage : analysis.files()) {
      html.markup("<p>")
          .text(passage.path() + ":" + passage.fromLine() + "-" + passage.toLine())
          .markup("</p>\n<pre>")
          .text(passage.excerpt())
          .markup("</pre>\n");
    }
  }

  private HtmlWriter begin(String title, boolean refresh) {
    return new HtmlWriter()
        .markup("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .markup("<meta name=\"viewport\" content=\"width=device-width\">\n")
        .markup(
            refresh ? "<meta http-equiv=\"refresh\" content=\"" + REFRESH_SECONDS + "\">\n" : "")
        .markup("<link rel=\"stylesheet\" href=\"/style.css\">\n<title>")
        .text(title)
        .markup("</title>\n</head>\n<body>\n<main>\n");
  }

  private String end(HtmlWriter html) {
    return html.markup("<p>as of ")
        .text(now)
        .markup("</p>\n</main>\n</body>\n</html>\n")
        .toString();
  }

  private String age(Instant since) {
    return TimeSpan.age(Duration.between(since, now));
  }

  private static String known(@Nullable Long number) {
    return number == null ? "-" : number.toString();
  }

  private static String counts(Map<String, Long> counts) {
    return counts.isEmpty()
        ? "none"
        : String.join(
            ", ",
            counts.entrySet().stream()
                .map(count -> count.getValue() + " " + count.getKey())
                .toList());
  }
}
