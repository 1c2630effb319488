package dev.flyball.program.cli;

import dev.flyball.contract.command.Command;
import dev.flyball.program.terminal.Terminal;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * Forgets an item: ends its unsettled work and removes its state. The item is new when its tracker
 * changes it; its newest analysis stays.
 */
@picocli.CommandLine.Command(
    name = "forget",
    mixinStandardHelpOptions = true,
    description =
        "Ends whatever is unsettled of an item and removes its state: it is new when its tracker"
            + " changes it. Its newest analysis stays.")
final class ForgetCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin ItemOptions options = new ItemOptions();

  @Parameters(
      paramLabel = "KEY",
      description = "tenant/source/id, or the id if only one item has it")
  @Nullable String key;

  ForgetCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    return options.order(
        terminal, Objects.requireNonNull(key, "a required parameter"), Command.Forget::new);
  }
}
