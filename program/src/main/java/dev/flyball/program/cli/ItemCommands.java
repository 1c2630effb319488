package dev.flyball.program.cli;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.terminal.Exit;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The commands that change what happens to an item: cancel, retry, skip and forget. */
final class ItemCommands {
  /** How an item is named. */
  static final String KEY = "tenant/source/id, or the id if only one item has it";

  /** A shorter text is an item's id rather than a session's. */
  private static final int SHORTEST_SESSION = 8;

  private ItemCommands() {}

  @picocli.CommandLine.Command(
      name = "cancel",
      mixinStandardHelpOptions = true,
      description =
          "Cancel the work on an item: withdraw its request, stop its session and all its"
              + " processes.")
  static Exit cancel(
      @Mixin ItemOptions options,
      @Parameters(
              paramLabel = "KEY|SESSION",
              description =
                  KEY
                      + ", or the first characters of a live session's id: then cancel only if that"
                      + " session still runs")
          String name) {
    Configuration configuration = options.checked();
    KafkaClients clients = options.clients(configuration, "operator");
    Optional<Lease> lease = session(clients, name);
    String session = lease.map(Lease::session).orElse(null);
    ItemKey item = lease.map(Lease::item).orElseGet(() -> Lookup.item(configuration, name));
    return options.send(
        clients, item, (id, who, at, why) -> new Command.Cancel(id, who, at, why, session));
  }

  /** The live session whose id begins with this text, by the ledger; empty if there is none. */
  private static Optional<Lease> session(KafkaClients clients, String name) {
    if (name.contains("/") || name.length() < SHORTEST_SESSION) {
      return Optional.empty();
    }
    List<Lease> live =
        new OperatorEntries(clients)
            .state().leases().stream().filter(it -> it.session().startsWith(name)).toList();
    if (live.size() > 1) {
      throw new ConfigurationError(
          "several live sessions begin with '" + name + "'; give more characters of the id");
    }
    return live.stream().findFirst();
  }

  @picocli.CommandLine.Command(
      name = "retry",
      mixinStandardHelpOptions = true,
      description =
          "Try an item again now, counting its attempts from 1: one that is dead, failed,"
              + " cancelled, skipped or analyzed.")
  static Exit retry(
      @Mixin ItemOptions options, @Parameters(paramLabel = "KEY", description = KEY) String key) {
    return options.send(key, Command.Retry::new);
  }

  @picocli.CommandLine.Command(
      name = "skip",
      mixinStandardHelpOptions = true,
      description = "Skip an item: stop its session, withdraw its request, mark it skipped.")
  static Exit skip(
      @Mixin ItemOptions options, @Parameters(paramLabel = "KEY", description = KEY) String key) {
    return options.send(key, Command.Skip::new);
  }

  @picocli.CommandLine.Command(
      name = "forget",
      mixinStandardHelpOptions = true,
      description =
          "Forget an item: stop its session, withdraw its request, delete its state. The next"
              + " change in its tracker makes it a new item. Its newest analysis is kept.")
  static Exit forget(
      @Mixin ItemOptions options, @Parameters(paramLabel = "KEY", description = KEY) String key) {
    return options.send(key, Command.Forget::new);
  }
}
