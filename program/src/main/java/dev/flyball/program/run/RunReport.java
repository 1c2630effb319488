package dev.flyball.program.run;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.Outcome;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.producer.PollReport;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@code run --json} prints: this run only. Field names are fixed; every outcome is there, 0
 * when none.
 *
 * @param items distinct keys in the file
 * @param lines lines read, unreadable ones included, blank ones not
 * @param invalid lines that could not be read
 * @param duplicates readable lines whose content was known already: held back by the producer, or
 *     found to be so by triage. So {@code lines} = {@code invalid} + {@code duplicates} + {@code
 *     changed}
 * @param changed snapshots whose content is new, superseded ones among them
 * @param superseded snapshots that a newer line of this file replaced
 * @param triageCalls calls of the classifier, each for a whole batch
 * @param sessions sessions that ended in this run, by outcome; one of an earlier run may be lost
 *     now
 * @param maxConcurrent most process trees of this run that lived at the same time
 * @param analyses analyses written
 * @param settled items of this run by their current phase: those that changed, and those that an
 *     earlier run left unfinished
 * @param continued how many of them an earlier run left
 * @param dead items of this data folder that were given up
 */
public record RunReport(
    int items,
    int lines,
    int invalid,
    int duplicates,
    int triageCalls,
    Map<String, Integer> sessions,
    int maxConcurrent,
    int analyses,
    long durationMs,
    int changed,
    int superseded,
    Map<String, Integer> settled,
    int continued,
    int dead,
    long costMicros) {
  /**
   * The report of a run.
   *
   * @param maxConcurrent the most process trees that lived at the same time, as the runner counted
   *     them
   * @param dead how many items of this data folder were given up
   */
  static RunReport of(
      PollReport.Finished polled,
      RunView.Status status,
      RunView.Figures figures,
      int maxConcurrent,
      int dead,
      long durationMs) {
    var sessions = new LinkedHashMap<String, Integer>();
    for (Outcome outcome : Outcome.values()) {
      sessions.put(outcome.label(), figures.count(EventType.terminalOf(outcome)));
    }
    return new RunReport(
        polled.items(),
        polled.lines(),
        polled.invalid().size(),
        polled.duplicates() + figures.count(EventType.ITEM_DUPLICATE),
        figures.triageCalls(),
        sessions,
        maxConcurrent,
        figures.analyses(),
        durationMs,
        figures.count(EventType.ITEM_CHANGED),
        figures.count(EventType.ITEM_SUPERSEDED),
        status.states(_ -> true),
        (int) status.items().stream().filter(RunView.Status.Item::continued).count(),
        dead,
        figures.costMicros());
  }

  public RunReport {
    sessions = Collections.unmodifiableMap(new LinkedHashMap<>(sessions));
    settled = Collections.unmodifiableMap(new LinkedHashMap<>(settled));
  }

  /**
   * One item in the report.
   *
   * @param where the first file and line that its analysis names, empty if there is none
   * @param reason why it is not analyzed, or the beginning of an analysis that names no file
   */
  record RunRow(String key, String title, String phase, String where, String reason) {

    /** Whether nothing is to be done for it: it was judged not worth a session, or is closed. */
    boolean needsNoSession() {
      return phase.equals("skipped") || phase.equals("closed");
    }

    /** The row of an item with its newest analysis, which may be older than its state. */
    static RunRow of(ItemRow item, @Nullable Analysis newest) {
      Analysis analysis = item.state().equals("analyzed") ? newest : null;
      List<Analysis.Passage> files = analysis == null ? List.of() : analysis.files();
      String where =
          files.isEmpty() ? "" : files.getFirst().path() + ":" + files.getFirst().fromLine();
      String reason =
          analysis != null ? said(analysis) : item.reason() == null ? "" : item.reason();
      return new RunRow(item.key(), item.title(), item.state(), where, reason);
    }

    /**
     * The reason column of an analysis that names no file. For the scout it says that no file
     * matches clearly, because only the scout ranks files; for another agent it is the first line
     * of its answer.
     */
    private static String said(Analysis analysis) {
      return analysis.agent().equals("scout")
          ? "no file stands out"
          : analysis.text().lines().filter(line -> !line.isBlank()).findFirst().orElse("").strip();
    }
  }
}
