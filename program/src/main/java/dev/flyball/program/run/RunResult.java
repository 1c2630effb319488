package dev.flyball.program.run;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.Outcome;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.producer.PollReport;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.program.trial.Trial;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of a settled run: the report or a table on standard output, the rest on standard
 * error.
 *
 * @param polled the poll of the file
 * @param mostTrees most process trees of this run that lived at the same time
 * @param dead items of the data folder that were given up
 */
record RunResult(
    PollReport.Finished polled,
    RunView.Status status,
    RunView.Figures figures,
    int mostTrees,
    long durationMs,
    List<Row> rows,
    List<ItemRow> dead) {
  private static final int TITLE = 48;
  private static final int PIPED_TITLE = 200;
  private static final int SHOWN_DEAD = 5;

  /** Items without a need of a session that are all listed; more are counted by reason. */
  private static final int MOST_QUIET = 3;

  private static final int MOST_REASONS = 8;

  Exit exit() {
    return polled.invalid().isEmpty() && dead.isEmpty() ? Exit.DONE : Exit.DEGRADED;
  }

  /** What {@code run --json} prints: this run only. Field names are fixed. */
  Map<String, Object> report() {
    var report = new LinkedHashMap<String, Object>();
    report.put("items", polled.items());
    // Unreadable lines included, blank ones not: lines = invalid + duplicates + changed.
    report.put("lines", polled.lines());
    report.put("invalid", polled.invalid().size());
    // Held back by the producer, or found to be known by triage.
    report.put("duplicates", polled.duplicates() + figures.count(EventType.ITEM_DUPLICATE));
    report.put("triageCalls", figures.triageCalls());
    report.put("sessions", sessions());
    report.put("maxConcurrent", mostTrees);
    report.put("analyses", figures.analyses());
    report.put("durationMs", durationMs);
    report.put("changed", figures.count(EventType.ITEM_CHANGED));
    // Replaced by a newer line of this file.
    report.put("superseded", figures.count(EventType.ITEM_SUPERSEDED));
    // Items that changed, and those that an earlier run left unfinished, by their state.
    report.put("settled", status.states(_ -> true));
    report.put("continued", status.items().stream().filter(RunView.Status.Item::continued).count());
    report.put("dead", dead.size());
    report.put("costMicros", figures.costMicros());
    return report;
  }

  /** The sessions that ended in this run; one of an earlier run may be lost now. */
  private Map<String, Integer> sessions() {
    var sessions = new LinkedHashMap<String, Integer>();
    for (Outcome outcome : Outcome.values()) {
      sessions.put(outcome.label(), figures.count(EventType.terminalOf(outcome)));
    }
    return sessions;
  }

  /**
   * Prints it.
   *
   * @param place options by which further commands find this run; empty where they do without
   * @param why why an item with this key needs no session, in the words that others share
   * @param cost what a model's agent would have cost; empty where that is no question
   */
  void print(
      Terminal terminal,
      Table.Form form,
      Progress progress,
      String place,
      UnaryOperator<String> why,
      Optional<String> cost) {
    progress.clear();
    if (form == Table.Form.JSON) {
      terminal.out().println(RecordJson.write(report()));
    } else {
      table(terminal, rows, form, place, why);
    }
    progress.say(line());
    int invalid = polled.invalid().size();
    if (invalid > 0) {
      progress.say(
          invalid == 1
              ? "1 line could not be read: it is named above"
              : invalid
                  + " lines could not be read; list all of them with ./flyball dead-letters"
                  + place);
    }
    dead.stream()
        .limit(SHOWN_DEAD)
        .forEach(each -> progress.say(each.key() + " is dead: " + each.reason()));
    boolean shown = form != Table.Form.JSON && figures.analyses() > 0;
    cost.filter(_ -> shown).ifPresent(progress::say);
    rows.stream()
        .filter(row -> !row.where().isEmpty())
        .findFirst()
        .ifPresent(
            row -> progress.say("read an analysis: ./flyball analysis " + row.key() + place));
    if (shown && cost.isPresent()) {
      progress.say("your open issues, which starts nothing: ./flyball try OWNER/NAME");
    }
  }

  /** Prints the items. A person's screen has what was found, and of the others how many and why. */
  static void table(
      Terminal terminal, List<Row> rows, Table.Form form, String place, UnaryOperator<String> why) {
    if (rows.isEmpty()) {
      return;
    }
    List<Row> quiet = rows.stream().filter(Row::needsNoSession).toList();
    boolean counted = terminal.outIsTty() && quiet.size() > MOST_QUIET;
    var table = new Table("item", "outcome", "where", "title");
    for (Row row : rows) {
      if (!counted || !row.needsNoSession()) {
        table.row(
            row.key(),
            row.phase(),
            row.where().isEmpty() ? row.reason() : row.where(),
            title(terminal, row));
      }
    }
    if (!counted || quiet.size() < rows.size()) {
      table.print(terminal, form);
    }
    if (counted) {
      terminal.print(
          quiet.size() + " need no agent; each with its reason: ./flyball items" + place);
      var reasons =
          Trial.<String>mostFrequent(
              quiet.stream()
                  .map(row -> row.phase().equals("skipped") ? why.apply(row.key()) : row.phase()));
      reasons.entrySet().stream()
          .limit(MOST_REASONS)
          .map(each -> String.format(Locale.ROOT, "%6d %s", each.getValue(), each.getKey()))
          .forEach(line -> terminal.out().println(PlainText.cut(line, terminal.width())));
      if (reasons.size() > MOST_REASONS) {
        terminal.print("       and " + (reasons.size() - MOST_REASONS) + " other reasons");
      }
    }
  }

  private static String title(Terminal terminal, Row row) {
    return PlainText.cut(row.title(), terminal.outIsTty() ? TITLE : PIPED_TITLE);
  }

  String line() {
    Map<String, Integer> left = status.states(RunView.Status.Item::continued);
    String ended =
        sessions().entrySet().stream()
            .filter(each -> each.getValue() > 0)
            .map(each -> each.getValue() + " " + each.getKey())
            .collect(Collectors.joining(", "));
    return CountedNoun.of(polled.items(), "item", "items")
        + ": "
        + Progress.words(status.states(RunView.Status.Item::changed))
        + (left.isEmpty() ? "" : "; left over from an earlier run: " + Progress.words(left))
        + "; sessions: "
        + (ended.isEmpty() ? "no session" : ended)
        + (figures.inherited() == 0
            ? ""
            : ", " + figures.inherited() + " of them begun by an earlier run")
        + (mostTrees == 0 ? "" : " (at most " + mostTrees + " at a time)")
        + "; triage calls: "
        + figures.triageCalls()
        + String.format(Locale.ROOT, "; %.1f s", durationMs / 1000.0);
  }

  /**
   * One item in the report.
   *
   * @param where the first file and line that its analysis names, empty if there is none
   * @param reason why it is not analyzed, or the beginning of an analysis that names no file
   */
  record Row(String key, String title, String phase, String where, String reason) {

    /** Whether nothing is to be done for it: it was judged not worth a session, or is closed. */
    boolean needsNoSession() {
      return phase.equals("skipped") || phase.equals("closed");
    }

    /** The row of an item with its newest analysis, which may be older than its state. */
    static Row of(ItemRow item, @Nullable Analysis newest) {
      Analysis analysis = item.state().equals("analyzed") ? newest : null;
      List<Analysis.Passage> files = analysis == null ? List.of() : analysis.files();
      String where = files.isEmpty() ? "" : files.getFirst().place();
      String reason =
          analysis != null ? said(analysis) : item.reason() == null ? "" : item.reason();
      return new Row(item.key(), item.title(), item.state(), where, reason);
    }

    /**
     * The reason column of an analysis that names no file. For the scout it says that no file
     * matches clearly, because only the scout ranks files; for another agent it is the first line
     * of its answer.
     */
    private static String said(Analysis analysis) {
      return analysis.agent().equals("scout")
          ? "no file stands out"
          : analysis
              .text()
              .lines()
              .filter(line -> !line.isBlank() && !line.startsWith("#"))
              .findFirst()
              .orElse("")
              .strip();
    }
  }
}
