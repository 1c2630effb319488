package dev.flyball.program.run;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.program.run.RunReport.RunRow;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The result of a settled run: the report or a table on standard output, the rest on standard
 * error.
 *
 * @param inherited how many of the sessions that ended an earlier run began
 * @param dead items of the data folder that were given up
 */
record RunResult(
    RunReport report, RunView.Status status, int inherited, List<RunRow> rows, List<ItemRow> dead) {
  private static final int TITLE = 48;
  private static final int PIPED_TITLE = 200;
  private static final int WHERE = 72;
  private static final int SHOWN_DEAD = 5;

  /** Items without a need of a session that are all listed. */
  private static final int MOST_QUIET = 12;

  private static final int QUIET_SHOWN = 3;

  Exit exit() {
    return report.invalid() > 0 || report.dead() > 0 ? Exit.DEGRADED : Exit.DONE;
  }

  void print(Terminal terminal, Table.Form form, Progress progress) {
    progress.clear();
    if (form == Table.Form.JSON) {
      terminal.out().println(RecordJson.write(report));
    } else {
      table(terminal, rows, form);
    }
    progress.say(line());
    if (report.invalid() > 0) {
      progress.say(
          report.invalid() == 1
              ? "1 line could not be read: it is named above"
              : report.invalid()
                  + " lines could not be read; list all of them with ./flyball dead-letters");
    }
    dead.stream()
        .limit(SHOWN_DEAD)
        .forEach(each -> progress.say(each.key() + " is dead: " + each.reason()));
    rows.stream()
        .filter(row -> !row.where().isEmpty())
        .findFirst()
        .ifPresent(row -> progress.say("read an analysis: ./flyball analysis " + row.key()));
  }

  /**
   * Prints the items. On a person's screen what was found comes first, and a long list of items
   * that need no session is cut.
   */
  static void table(Terminal terminal, List<RunRow> rows, Table.Form form) {
    if (rows.isEmpty()) {
      return;
    }
    List<RunRow> quiet = rows.stream().filter(RunRow::needsNoSession).toList();
    boolean cut = terminal.outIsTty() && quiet.size() > MOST_QUIET;
    var shown = new ArrayList<>(rows);
    if (cut) {
      shown.removeAll(quiet);
      shown.addAll(quiet.subList(0, QUIET_SHOWN));
    }
    var table = new Table("item", "outcome", "where", "title");
    for (RunRow row : shown) {
      table.row(row.key(), row.phase(), where(terminal, row), title(terminal, row));
    }
    table.print(terminal, form);
    if (cut) {
      terminal
          .out()
          .println(
              "and "
                  + (quiet.size() - QUIET_SHOWN)
                  + " more that need no session; each with its reason: ./flyball items --state"
                  + " skipped");
    }
  }

  /**
   * The place, cut for a person's screen only: a program that reads a pipe needs the whole path.
   */
  private static String where(Terminal terminal, RunRow row) {
    if (!terminal.outIsTty()) {
      return PlainText.line(row.where().isEmpty() ? row.reason() : row.where());
    }
    return row.where().isEmpty()
        ? PlainText.cut(row.reason(), WHERE)
        : PlainText.cutLeft(row.where(), WHERE);
  }

  private static String title(Terminal terminal, RunRow row) {
    return PlainText.cut(row.title(), terminal.outIsTty() ? TITLE : PIPED_TITLE);
  }

  /** The whole result in one line. */
  String line() {
    Map<String, Integer> left = status.states(RunView.Status.Item::continued);
    return CountedNoun.of(report.items(), "item", "items")
        + ": "
        + Progress.words(status.states(RunView.Status.Item::changed))
        + (left.isEmpty() ? "" : "; left over from an earlier run: " + Progress.words(left))
        + "; sessions: "
        + sessions(report.sessions(), inherited)
        + (report.maxConcurrent() == 0 ? "" : " (at most " + report.maxConcurrent() + " at a time)")
        + "; triage calls: "
        + report.triageCalls()
        + String.format(Locale.ROOT, "; %.1f s", report.durationMs() / 1000.0);
  }

  /** The numbers of sessions by outcome; most outcomes are 0. */
  private static String sessions(Map<String, Integer> outcomes, int inherited) {
    String line =
        outcomes.entrySet().stream()
            .filter(each -> each.getValue() > 0)
            .map(each -> each.getValue() + " " + each.getKey())
            .collect(Collectors.joining(", "));
    return (line.isEmpty() ? "no session" : line)
        + (inherited == 0 ? "" : ", " + inherited + " of them begun by an earlier run");
  }
}
