package dev.flyball.standalone.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.LiveSession;
import dev.flyball.standalone.config.Configuration;
import dev.flyball.standalone.config.Keys;
import dev.flyball.standalone.terminal.Exit;
import dev.flyball.standalone.terminal.Table;
import dev.flyball.standalone.terminal.Terminal;
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
        "Prints the live sessions: item, runner, pid, processes, elapsed and limit, progress,"
            + " tokens, cost.")
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
    try (ConsoleView view = Answers.open(configuration)) {
      live = view.ps(Instant.now(), configuration.get(Keys.WALL_CLOCK));
    }
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
    live.forEach(session -> row(table, session));
    table.print(terminal, false);
    return Exit.DONE.code();
  }

  private static void row(Table table, LiveSession session) {
    table.row(
        session.item(),
        session.session(),
        session.runner(),
        session.pid() == null ? "" : session.pid(),
        session.processes() == null ? "" : session.processes(),
        session.elapsedMs() / 1000 + "s/" + session.limitMs() / 1000 + "s",
        session.hung()
            ? "hung"
            : session.progressAt() == null ? "" : session.progressAt().toString(),
        session.tokens(),
        String.format(Locale.ROOT, "%.2f", session.costMicros() / MICROS));
  }
}
