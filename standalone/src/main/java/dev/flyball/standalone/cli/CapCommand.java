package dev.flyball.standalone.cli;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.ops.console.operate.OperatorDesk;
import dev.flyball.standalone.config.ConfigurationError;
import dev.flyball.standalone.terminal.Exit;
import dev.flyball.standalone.terminal.Table;
import dev.flyball.standalone.terminal.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows or sets how many sessions may live at once. */
@Command(
    name = "cap",
    mixinStandardHelpOptions = true,
    description =
        "Sets how many sessions may live at once, for every runner; without N shows it. Lowering it"
            + " ends nothing: sessions above it go on until they end.")
final class CapCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin OperatorOptions options = new OperatorOptions();

  @Parameters(paramLabel = "N", arity = "0..1", description = "The new cap; 0 lets nothing start")
  @Nullable Integer limit;

  CapCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Integer wanted = limit;
    OperatorDesk desk = options.desk(terminal);
    if (wanted == null) {
      show(desk.state());
      return Exit.DONE.code();
    }
    if (wanted < 0) {
      throw new ConfigurationError(List.of("cap " + wanted + ": give 0 or more"));
    }
    OperatorDesk.Answer answer =
        desk.change(
            options.scope,
            seen ->
                new LedgerEntry.Cap(
                    options.scope, wanted, seen, OperatorOptions.who(), options.why));
    show(answer.state());
    return OperatorOptions.exit(answer, terminal, "another change came first; look and try again")
        .code();
  }

  private void show(LedgerState state) {
    new Table("scope", "cap", "live")
        .row(
            options.scope,
            state.cap(options.scope).<Object>map(each -> each).orElse(""),
            state.live(options.scope))
        .print(terminal, options.json);
  }
}
