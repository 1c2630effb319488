package dev.flyball.program.cli;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.ops.console.operate.OperatorDesk;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows or sets how many sessions may run at the same time. */
@Command(
    name = "cap",
    mixinStandardHelpOptions = true,
    description =
        "Sets how many sessions may live at once, for every runner; without N shows it. Lowering it"
            + " ends nothing: sessions above it go on until they end.")
final class CapCommand implements Callable<Integer> {
  private static final Configuration NOTHING = new Configuration(Map.of(), Map.of(), List.of());

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
    if (wanted != null) {
      // What the key's type rejects is rejected here too, before any request is sent.
      var _ = NOTHING.with(Keys.CAP, wanted.toString(), "cap");
    }
    OperatorDesk desk = options.desk(terminal);
    if (wanted == null) {
      show(desk.state());
      return Exit.DONE.code();
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
