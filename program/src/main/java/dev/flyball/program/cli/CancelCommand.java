package dev.flyball.program.cli;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.terminal.Terminal;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Cancels an item's work. */
@picocli.CommandLine.Command(
    name = "cancel",
    mixinStandardHelpOptions = true,
    description =
        "Ends whatever is unsettled of an item: its waiting request is withdrawn, its running"
            + " session and all its processes are ended.")
final class CancelCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin ItemOptions options = new ItemOptions();

  @Parameters(
      paramLabel = "KEY|SESSION",
      description = {
        "tenant/source/id, or the id if only one item has it; or a live session's id or its"
            + " beginning: then only if that is still the one that runs"
      })
  @Nullable String typed;

  CancelCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    String name = Objects.requireNonNull(typed, "a required parameter");
    Configuration configuration = options.configuration(terminal);
    KafkaClients clients = ItemOptions.clients(configuration);
    Optional<Lease> lease = ItemOptions.session(clients, name);
    String session = lease.map(Lease::session).orElse(null);
    ItemKey item = lease.map(Lease::item).orElseGet(() -> options.item(configuration, name));
    return options.order(
        terminal,
        clients,
        item,
        (id, who, at, why) -> new Command.Cancel(id, who, at, why, session));
  }
}
