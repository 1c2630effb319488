package dev.flyball.program.cli;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.function.Function;
import java.util.regex.Pattern;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of the commands that change a limit of a scope: which scope, and why. */
final class ScopeOptions extends KafkaOptions {
  private static final Pattern SCOPE =
      Pattern.compile("global|tenant:[a-z0-9-]+|source:[a-z0-9-]+/[a-z0-9-]+|provider:[a-z0-9-]+");

  @Mixin final TableOptions table;

  @Option(
      names = "--scope",
      paramLabel = "SCOPE",
      description = "global (default), tenant:T, source:T/S or provider:P")
  String scope = Scope.GLOBAL;

  @Option(names = "--why", paramLabel = "TEXT", description = "Reason, recorded with the change")
  String why = "no reason given";

  ScopeOptions(Terminal terminal) {
    super(terminal);
    table = new TableOptions(terminal);
  }

  /** Makes a ledger entry from the state, the offset of the scope's last change, and the user. */
  interface Making {
    LedgerEntry of(LedgerState state, long seen, String who);
  }

  /** The ledger of the Kafka that answers. */
  OperatorEntries ledger() {
    if (!SCOPE.matcher(scope).matches()) {
      throw new ConfigurationError(
          "--scope " + scope + ": allowed are global, tenant:T, source:T/S and provider:P");
    }
    return new OperatorEntries(clients(load(), "operator"));
  }

  /** Appends one entry and prints the ledger after it; reports it if the entry had no effect. */
  Exit change(OperatorEntries ledger, Making making, Function<LedgerState, Table> shown) {
    OperatorEntries.Answer answer =
        ledger.change(scope, state -> making.of(state, state.lastOperator(scope), who()));
    table.print(shown.apply(answer.state()));
    return switch (answer) {
      case OperatorEntries.Answer.Effective _ -> Exit.DONE;
      case OperatorEntries.Answer.WithoutEffect _ -> {
        terminal()
            .note(
                "nothing was changed: another change of "
                    + scope
                    + " came first; check the values above and repeat the command");
        yield Exit.FAILED;
      }
    };
  }

  /** The name of the user who makes the change. */
  static String who() {
    return System.getProperty("user.name", "operator");
  }
}
