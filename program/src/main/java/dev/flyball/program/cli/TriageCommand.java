package dev.flyball.program.cli;

import dev.flyball.program.roles.Role;
import dev.flyball.program.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the role triage. */
@Command(
    name = "triage",
    mixinStandardHelpOptions = true,
    description = "Runs the role that decides what changed and which sessions should run.")
final class TriageCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();
  @Mixin ServerOptions server = new ServerOptions();

  TriageCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    return RoleRun.of(terminal, Role.TRIAGE, server.over(shared.load(terminal)));
  }
}
