package dev.flyball.program.cli;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.ops.console.operate.OperatorDesk;
import dev.flyball.program.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Ends a pause. */
@Command(
    name = "resume",
    mixinStandardHelpOptions = true,
    description = "Ends the pause of a scope; prints the pauses that are still in force.")
final class ResumeCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin OperatorOptions options = new OperatorOptions();

  ResumeCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    OperatorDesk.Answer answer =
        options
            .desk(terminal)
            .change(
                options.scope,
                seen ->
                    new LedgerEntry.Resume(
                        options.scope, seen, OperatorOptions.who(), options.why));
    PauseCommand.show(answer, terminal, options.json);
    return OperatorOptions.exit(
            answer, terminal, options.scope + " is not paused, or another change came first")
        .code();
  }
}
