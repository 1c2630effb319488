package dev.flyball.program.cli;

import dev.flyball.contract.ledger.PoolLedger;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.topic.Pools;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.ops.console.operate.PoolChanges;
import dev.flyball.ops.console.operate.ScopeChange;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
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

  @Option(
      names = "--pool",
      paramLabel = "POOL",
      description =
          "Pool of runners whose global scope or provider is meant (default: all that there are;"
              + " with more than one, a cap or a budget needs it)")
  @Nullable String pool;

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
    if (url.isPresent() && pool != null) {
      throw new ConfigurationError(
          "--pool " + pool + ": a console lists the scopes of all pools; leave --pool away");
    }
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

  /** The ledgers of the Kafka that answers, of every pool that has the scope. */
  List<PoolLedger> states() {
    String named = scope();
    KafkaClients clients = clients(load(), "operator");
    Pools pools = clients.topics().pools();
    return pools(() -> ScopeChange.poolsOf(named, pools, pool)).stream()
        .map(each -> new PoolLedger(pools, each, new OperatorEntries(clients.in(each)).state()))
        .toList();
  }

  /**
   * Appends one entry to the ledger of each pool that is meant and prints the ledgers after it;
   * reports it if an entry had no effect.
   */
  Exit change(ScopeChange change, Function<List<PoolLedger>, Table> shown) {
    KafkaClients clients = clients(load(), "operator");
    return change(
        clients, pools(() -> change.pools(clients.topics().pools(), pool)), change, shown);
  }

  /** The same only in the ledgers of these pools. */
  Exit change(List<String> in, ScopeChange change, Function<List<PoolLedger>, Table> shown) {
    return change(clients(load(), "operator"), in, change, shown);
  }

  private Exit change(
      KafkaClients clients,
      List<String> in,
      ScopeChange change,
      Function<List<PoolLedger>, Table> shown) {
    var made =
        PoolChanges.make(clients, OperatorEntries.PATIENCE, in, change, who(), OneLine.of(why));
    var after = new ArrayList<PoolLedger>();
    Pools pools = clients.topics().pools();
    made.states().forEach((pool, state) -> after.add(new PoolLedger(pools, pool, state)));
    table.print(shown.apply(after));
    made.missing()
        .ifPresent(missing ->
            terminal()
                .note(
                    (made.anywhere() ? "not changed everywhere: " : "nothing was changed: ")
                        + missing
                        + "; check the values above and repeat the command"));
    return made.everywhere() ? Exit.DONE : Exit.FAILED;
  }

  private static List<String> pools(Supplier<List<String>> meant) {
    try {
      return meant.get();
    } catch (IllegalArgumentException e) {
      throw new ConfigurationError("--" + e.getMessage());
    }
  }

  /** The name of the user who makes the change. */
  static String who() {
    return System.getProperty("user.name", "operator");
  }
}
