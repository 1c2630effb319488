package dev.flyball.standalone.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.LiveSession;
import dev.flyball.standalone.config.Configuration;
import dev.flyball.standalone.config.Keys;
import dev.flyball.standalone.terminal.Age;
import dev.flyball.standalone.terminal.Exit;
import dev.flyball.standalone.terminal.Table;
import dev.flyball.standalone.terminal.Terminal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Live sessions. */
@Command(
    name = "ps",
    mixinStandardHelpOptions = true,
    description =
        "Prints the live sessions: item, runner, pid, processes, elapsed and limit, how long ago"
            + " the last progress was, tokens, cost.")
final class PsCommand implements Callable<Integer> {
  private static final double MICROS = 1_000_000.0;
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();

  @Option(names = "--json", description = "One JSON array on one line")
  boolean json;

  PsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Configuration configuration = shared.load(terminal);
    List<LiveSession> live;
    AnswerAge age;
    try (ConsoleView view = Answers.open(configuration)) {
      age = AnswerAge.of(view, configuration);
      live = view.ps(age.moment(), configuration.get(Keys.WALL_CLOCK));
    }
    age.tell(terminal);
    if (json) {
      terminal.out().println(RecordJson.write(live));
      return Exit.DONE.code();
    }
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
    live.forEach(session -> row(table, session, age.moment()));
    table.print(terminal, false);
    return Exit.DONE.code();
  }

  private static void row(Table table, LiveSession session, Instant now) {
    table.row(
        session.item(),
        session.session(),
        session.runner(),
        session.pid() == null ? "" : session.pid(),
        session.processes() == null ? "" : session.processes(),
        session.elapsedMs() / 1000 + "s/" + session.limitMs() / 1000 + "s",
        progress(session, now),
        session.tokens(),
        String.format(Locale.ROOT, "%.2f", session.costMicros() / MICROS));
  }

  private static String progress(LiveSession session, Instant now) {
    Instant last = session.progressAt();
    String age = last == null ? "" : Age.of(Duration.between(last, now));
    return session.hung() ? ("hung " + age).strip() : last == null ? "" : age + " ago";
  }
}
