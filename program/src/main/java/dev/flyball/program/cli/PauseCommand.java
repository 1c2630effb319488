package dev.flyball.program.cli;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.ops.console.operate.OperatorDesk;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.DurationText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Pauses a scope: no session of it starts. */
@Command(
    name = "pause",
    mixinStandardHelpOptions = true,
    description =
        "Lets no session start, on any runner, until resumed or for a while. Sessions that run go"
            + " on.")
final class PauseCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin OperatorOptions options = new OperatorOptions();

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      description = "How long, for example 30m; by default until flyball resume")
  @Nullable String duration;

  PauseCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Instant until = until();
    OperatorDesk.Answer answer =
        options
            .desk(terminal)
            .change(
                options.scope,
                seen ->
                    new LedgerEntry.Pause(
                        options.scope, until, seen, OperatorOptions.who(), options.why));
    show(answer, terminal, options.json);
    return OperatorOptions.exit(answer, terminal, "another change came first; look and try again")
        .code();
  }

  private @Nullable Instant until() {
    String given = duration;
    if (given == null) {
      return null;
    }
    try {
      return Instant.now().plus(DurationText.parse(given));
    } catch (IllegalArgumentException e) {
      throw new ConfigurationError(List.of("--for " + given + ": write 30s, 10m, 2h or 1d"));
    }
  }

  /** Prints all pauses in force. */
  static void show(OperatorDesk.Answer answer, Terminal terminal, boolean json) {
    var table = new Table("scope", "until", "who", "why");
    for (LedgerEntry.Pause pause : answer.state().pauses(Instant.now())) {
      Instant end = pause.until();
      table.row(pause.scope(), end == null ? "resumed" : end, pause.who(), pause.why());
    }
    table.print(terminal, json);
  }
}
