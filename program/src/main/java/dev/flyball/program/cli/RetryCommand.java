package dev.flyball.program.cli;

import dev.flyball.contract.command.Command;
import dev.flyball.program.terminal.Terminal;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Tries an item again. */
@picocli.CommandLine.Command(
    name = "retry",
    mixinStandardHelpOptions = true,
    description =
        "Has an item tried again now, with all its attempts ahead of it: one that is dead, failed,"
            + " cancelled, skipped or analyzed.")
final class RetryCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin ItemOptions options = new ItemOptions();

  @Parameters(
      paramLabel = "KEY",
      description = "tenant/source/id, or the id if only one item has it")
  @Nullable String key;

  RetryCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    return options.order(
        terminal, Objects.requireNonNull(key, "a required parameter"), Command.Retry::new);
  }
}
