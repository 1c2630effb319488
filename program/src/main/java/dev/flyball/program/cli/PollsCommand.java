package dev.flyball.program.cli;

import dev.flyball.producer.ProducerApp;
import dev.flyball.producer.history.PollHistory;
import dev.flyball.producer.history.PollRun;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the polls of this data folder's producer. */
@Command(
    name = "polls",
    mixinStandardHelpOptions = true,
    description =
        "Prints the polls of this data folder's producer, newest first: when, how long, what came"
            + " of it. The thousand newest of each source are kept; other producers keep their"
            + " own.")
final class PollsCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "SOURCE",
      description = "Only polls of this one, TENANT/NAME")
  @Nullable String source;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "Most rows; by default 20")
  int limit;

  @Option(names = "--json", description = "One JSON array on one line")
  boolean json;

  PollsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if (limit < 1) {
      throw refused("--limit: " + limit + " rows are none; give 1 or more");
    }
    Path folder = new AppConfigurations(shared.load(terminal)).folder("producer");
    Optional<PollHistory> found = PollHistory.openForReading(folder.resolve(ProducerApp.HISTORY));
    if (found.isEmpty()) {
      terminal.say("flyball: no producer ever polled in " + folder + "; name another with --data");
      return Exit.FAILED.code();
    }
    var table =
        new Table(
            "started",
            "took",
            "source",
            "outcome",
            "lines",
            "items",
            "changed",
            "duplicates",
            "invalid",
            "reason",
            "poll");
    try (PollHistory history = found.get()) {
      List<PollRun> runs = source == null ? history.runs(limit) : history.runs(source, limit);
      if (runs.isEmpty() && source != null) {
        throw refused(
            "no poll of '"
                + source
                + "' is kept in "
                + folder
                + "; give TENANT/NAME as ./flyball polls lists it");
      }
      runs.forEach(run -> row(table, run));
    }
    table.print(terminal, json);
    return Exit.DONE.code();
  }

  private static ConfigurationError refused(String line) {
    return new ConfigurationError(List.of(line));
  }

  private static void row(Table table, PollRun run) {
    table.row(
        run.startedAt(),
        Duration.between(run.startedAt(), run.endedAt()).toMillis() + "ms",
        run.source(),
        run.outcome(),
        run.lines(),
        run.items(),
        run.changed(),
        run.duplicates(),
        run.invalid(),
        run.reason() == null ? "" : run.reason(),
        run.poll());
  }
}
