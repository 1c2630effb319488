package dev.flyball.program.cli;

import dev.flyball.contract.command.Command;
import dev.flyball.program.terminal.Terminal;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Skips an item. */
@picocli.CommandLine.Command(
    name = "skip",
    mixinStandardHelpOptions = true,
    description =
        "Ends whatever is unsettled of an item, a running session too, as not worth a session.")
final class SkipCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin ItemOptions options = new ItemOptions();

  @Parameters(
      paramLabel = "KEY",
      description = "tenant/source/id, or the id if only one item has it")
  @Nullable String key;

  SkipCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    return options.order(
        terminal, Objects.requireNonNull(key, "a required parameter"), Command.Skip::new);
  }
}
