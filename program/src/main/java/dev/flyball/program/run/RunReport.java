package dev.flyball.program.run;

import dev.flyball.contract.session.Outcome;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.RunStatus;
import dev.flyball.producer.PollReport;
import java.util.LinkedHashMap;
import java.util.Map;

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
      RunStatus status,
      RunView.Figures figures,
      int maxConcurrent,
      int dead,
      long durationMs) {
    return new RunReport(
        polled.items(),
        polled.lines(),
        polled.invalid().size(),
        polled.duplicates() + figures.duplicates(),
        figures.triageCalls(),
        figures.sessions(),
        maxConcurrent,
        figures.analyses(),
        durationMs,
        figures.changed(),
        figures.superseded(),
        status.states(_ -> true),
        (int) status.items().values().stream().filter(RunStatus.Item::continued).count(),
        dead,
        figures.costMicros());
  }

  public RunReport {
    var all = new LinkedHashMap<String, Integer>();
    for (Outcome outcome : Outcome.values()) {
      all.put(outcome.label(), sessions.getOrDefault(outcome.label(), 0));
    }
    sessions = java.util.Collections.unmodifiableMap(all);
    settled = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(settled));
  }
}
