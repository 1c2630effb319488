package dev.flyball.program.cli;

import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.OneLine;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.triage.classify.ShadowComparison;
import dev.flyball.triage.classify.ShadowComparison.Compared;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Prints what a shadow run found.
 *
 * @param since items that changed from this time on were judged
 */
record ShadowReport(String config, Instant since, ShadowComparison found) {
  /** Most items that the table lists. */
  static final int LISTED = 20;

  private static final int LONGEST_REASON = 120;

  /** One object with every item. */
  Map<String, Object> json() {
    var all = new LinkedHashMap<String, Object>();
    all.put("config", config);
    all.put("since", since);
    all.put("compared", found.compared().size());
    all.put("bothSkip", found.count(false, false));
    all.put("bothSession", found.count(true, true));
    all.put("onlyNow", found.count(true, false));
    all.put("onlyOther", found.count(false, true));
    all.put("callsNow", found.decidedCalls());
    all.put("callsOther", found.otherCalls());
    all.put("costMicrosNow", found.decidedMicros());
    all.put("costMicrosOther", found.otherMicros());
    all.put("sessionsSaved", found.sessionsSaved());
    found.savedMicros().ifPresent(micros -> all.put("savedMicros", micros));
    all.put("changed", found.changed().stream().map(Row::of).toList());
    all.put("undecided", found.undecided().keySet());
    return all;
  }

  /** An item whose verdicts differ. */
  private record Row(
      String item,
      String revision,
      String now,
      String other,
      String nowReason,
      String otherReason) {
    static Row of(Compared each) {
      return new Row(
          each.item(),
          each.revision(),
          name(each.decided().needsDeepAnalysis()),
          name(each.other().needsDeepAnalysis()),
          each.decided().reason(),
          each.other().reason());
    }
  }

  /** Two tables: the counts, and the first items whose verdict differs or is not there yet. */
  void print(Terminal terminal) {
    var counts = new Table("count", "now", "other");
    counts.row("snapshots that both skip", found.count(false, false), found.count(false, false));
    counts.row("snapshots that both analyze", found.count(true, true), found.count(true, true));
    counts.row("sessions only now", found.count(true, false), 0);
    counts.row("sessions only other", 0, found.count(false, true));
    counts.row("triage calls", found.decidedCalls(), found.otherCalls());
    counts.row(
        "triage USD", Dollars.exact(found.decidedMicros()), Dollars.exact(found.otherMicros()));
    counts.print(terminal, Table.Form.FULL);
    var items = new Table("item", "revision", "now", "other", "reason");
    List<Row> changed = found.changed().stream().map(Row::of).toList();
    changed.stream()
        .limit(LISTED)
        .forEach(it ->
            items.row(
                it.item,
                it.revision,
                it.now,
                it.other,
                OneLine.of(it.otherReason, LONGEST_REASON)));
    found.undecided().entrySet().stream()
        .limit(LISTED)
        .forEach(each -> items.row(each.getKey(), each.getValue(), "not decided yet", "", ""));
    if (!changed.isEmpty() || !found.undecided().isEmpty()) {
      terminal.out().println();
      items.print(terminal, Table.Form.FULL);
    }
    int more =
        Math.max(0, changed.size() - LISTED) + Math.max(0, found.undecided().size() - LISTED);
    if (more > 0) {
      terminal.note(more + " more items are not listed; --json lists all");
    }
    terminal.note(sessions());
    terminal.note("the newest snapshot of each item that changed since " + since + " was judged");
  }

  private static String name(boolean session) {
    return session ? "session" : "skip";
  }

  private String sessions() {
    int saved = found.sessionsSaved();
    if (saved == 0) {
      return config + " asks for as many sessions as were decided";
    }
    String known = " USD, by the median of " + found.sessionMicros().size() + " completed sessions";
    String cost =
        found
            .medianSessionMicros()
            .map(median -> "about " + Dollars.rounded(median * Math.abs(saved)) + known)
            .orElse("cost unknown: no session completed in this time");
    String does = saved > 0 ? " saves sessions: " : " adds sessions: ";
    return config + does + Math.abs(saved) + " (" + cost + ")";
  }
}
