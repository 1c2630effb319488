package dev.flyball.program.cli;

import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The live sessions at one time: {@code ps} prints them once, {@code top} repeatedly. */
record LiveTable(List<RunningSession> live, Summary summary, ProjectionAge age) {
  /** Reads what a console knows now. */
  static LiveTable read(ConfigurationOptions options, ConsoleOptions console) {
    try (ConsoleReader reader = console.reader(options)) {
      return new LiveTable(reader.ps(), reader.summary(), reader.age());
    }
  }

  /** Prints the sessions, and on standard error their age if they are old. */
  Exit print(TableOptions options) {
    age.report(options.terminal());
    return options.json ? options.object(live) : options.print(table());
  }

  /** One line for each fact that a person should know besides the sessions. */
  List<String> heading() {
    var lines = new ArrayList<String>();
    lines.add(
        summary.live()
            + " of "
            + summary.cap()
            + " sessions live, "
            + summary.backlog()
            + (summary.backlog() == 1 ? " item unsettled, " : " items unsettled, ")
            + Dollars.rounded(summary.costMicros())
            + " USD spent");
    lines.addAll(summary.broken());
    lines.addAll(summary.pauses());
    summary.runners().stream()
        .filter(runner -> runner.refusing() != null)
        .map(runner -> "runner " + runner.id() + " refuses: " + runner.refusing())
        .forEach(lines::add);
    return lines;
  }

  /** The sessions. */
  Table table() {
    var table =
        new Table(
            "item",
            "session",
            "runner",
            "pid",
            "processes",
            "elapsed",
            "progress",
            "tokens",
            "usd");
    for (RunningSession session : live) {
      table.row(
          session.item(),
          session.session(),
          session.runner(),
          session.pid() == null ? "" : session.pid(),
          session.processes() == null ? "" : session.processes(),
          session.elapsedMs() / 1000 + "s/" + session.limitMs() / 1000 + "s",
          progress(session, age.moment()),
          session.tokens(),
          Dollars.rounded(session.costMicros()));
    }
    return table;
  }

  private static String progress(RunningSession session, Instant now) {
    Instant last = session.progressAt();
    String age = last == null ? "" : TimeSpan.age(Duration.between(last, now));
    return session.hung() ? ("hung " + age).strip() : last == null ? "" : age + " ago";
  }
}
