package dev.flyball.program.cli;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.ops.console.operate.ScopeChange;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of the commands that change a limit of a scope: which scope, and why. */
final class ScopeOptions extends KafkaOptions {
  @Mixin final TableOptions table;

  @Option(
      names = "--scope",
      paramLabel = "SCOPE",
      description = "global (default), tenant:T, source:T/S or provider:P")
  @Nullable String scope;

  @Option(names = "--why", paramLabel = "TEXT", description = "Reason, recorded with the change")
  String why = "no reason given";

  ScopeOptions(Terminal terminal) {
    super(terminal);
    table = new TableOptions(terminal);
  }

  /**
   * The scope that is meant.
   *
   * @throws ConfigurationError if the option names none
   */
  String scope() {
    String named = scope == null ? Scope.GLOBAL : scope;
    try {
      ScopeChange.requireScope(named);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationError("--" + e.getMessage());
    }
    return named;
  }

  /**
   * The console to read, which the caller closes; null for the ledger of the Kafka that answers.
   *
   * @param reads whether the command only reads; a console is not changed by one
   * @throws StartFailure if it changes something and a console is named
   */
  @Nullable RemoteReader remote(ConsoleOptions console, String command, boolean reads) {
    var _ = scope();
    Optional<String> url = console.url(this);
    if (url.isPresent() && !reads) {
      throw new StartFailure(
          command
              + " changes only the Kafka of this machine's data folder, and "
              + OneLine.of(url.get(), 200)
              + " is a console; use its page or POST /actions/"
              + command
              + ", or name the folder with --data");
    }
    return console.remote(this).orElse(null);
  }

  /** The ledger of the Kafka that answers. */
  LedgerState state() {
    return entries().state();
  }

  /** Appends one entry and prints the ledger after it; reports it if the entry had no effect. */
  Exit change(ScopeChange change, Function<LedgerState, Table> shown) {
    OperatorEntries.Answer answer = entries().change(change, who(), OneLine.of(why));
    table.print(shown.apply(answer.state()));
    if (answer.unchanged() == null) {
      return Exit.DONE;
    }
    terminal().note("nothing was changed: " + answer.unchanged());
    return Exit.FAILED;
  }

  private OperatorEntries entries() {
    return new OperatorEntries(clients(load(), "operator"));
  }

  /** The name of the user who makes the change. */
  static String who() {
    return System.getProperty("user.name", "operator");
  }
}
