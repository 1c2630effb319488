package dev.flyball.program.cli;

import dev.flyball.program.roles.Role;
import dev.flyball.program.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the role console. */
@Command(
    name = "console",
    mixinStandardHelpOptions = true,
    description =
        "Runs the role that shows what happens: page, metrics, and what ps, items, item and"
            + " analysis read.")
final class ConsoleCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();
  @Mixin ServerOptions server = new ServerOptions();

  ConsoleCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    return RoleRun.of(terminal, Role.CONSOLE, server.over(shared.load(terminal)));
  }
}
