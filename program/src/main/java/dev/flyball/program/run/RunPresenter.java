package dev.flyball.program.run;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.RunView;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.roles.ProcessScope;
import dev.flyball.program.run.RunReport.RunRow;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Runs a file and shows the result: progress on standard error, the report on standard output, the
 * exit code.
 */
public final class RunPresenter {
  private static final int TITLE = 48;
  private static final int PIPED_TITLE = 200;
  private static final int WHERE = 72;
  private static final int SHOWN_DEAD = 5;

  /** Items without a need of a session that are all listed. */
  private static final int MOST_QUIET = 12;

  private static final int QUIET_SHOWN = 3;

  private final Terminal terminal;
  private final Configuration configuration;
  private final ProcessScope tenure;
  private final Progress progress;

  /** Presents one run. */
  public RunPresenter(Terminal terminal, Configuration configuration, ProcessScope tenure) {
    this.terminal = terminal;
    this.configuration = configuration;
    this.tenure = tenure;
    this.progress = new Progress(terminal);
  }

  /** Runs the file, prints the result and returns the exit code. */
  public Exit present(Path items, Table.Form form) {
    var run = new FileRun(configuration, items, progress, tenure);
    return switch (run.execute(settled -> print(settled, form))) {
      case FileRun.End.Settled settled -> exit(settled.report());
      case FileRun.End.Stopped stopped -> {
        progress.say(stopped.line() + (stopped.logged() ? "; see " + tenure.log() : ""));
        yield stopped.exit();
      }
    };
  }

  private static Exit exit(RunReport report) {
    return report.invalid() > 0 || report.dead() > 0 ? Exit.DEGRADED : Exit.DONE;
  }

  private void print(FileRun.End.Settled settled, Table.Form form) {
    progress.clear();
    if (form == Table.Form.JSON) {
      terminal.out().println(RecordJson.write(settled.report()));
    } else {
      table(terminal, settled.rows(), form);
    }
    summary(settled);
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

  private void summary(FileRun.End.Settled settled) {
    RunReport report = settled.report();
    progress.say(line(settled.status(), settled.inherited(), report));
    if (report.invalid() > 0) {
      progress.say(
          report.invalid() == 1
              ? "1 line could not be read: it is named above"
              : report.invalid()
                  + " lines could not be read; list all of them with ./flyball dead-letters");
    }
    settled.dead().stream()
        .limit(SHOWN_DEAD)
        .forEach(each -> progress.say(each.key() + " is dead: " + each.reason()));
    settled.rows().stream()
        .filter(row -> !row.where().isEmpty())
        .findFirst()
        .ifPresent(row -> progress.say("read an analysis: ./flyball analysis " + row.key()));
  }

  /** The whole result in one line. */
  static String line(RunView.Status status, int inherited, RunReport report) {
    return CountedNoun.of(report.items(), "item", "items")
        + ": "
        + Progress.words(status.states(RunView.Status.Item::changed))
        + continued(status)
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

  private static String continued(RunView.Status status) {
    Map<String, Integer> left = status.states(RunView.Status.Item::continued);
    return left.isEmpty() ? "" : "; left over from an earlier run: " + Progress.words(left);
  }
}
