package dev.flyball.program.cli;

import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.roles.Role;
import dev.flyball.program.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the role runner. */
@Command(
    name = "runner",
    mixinStandardHelpOptions = true,
    description = "Runs the role that claims requests and runs agent sessions in containments.")
final class RunnerCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();
  @Mixin ServerOptions server = new ServerOptions();
  @Mixin WorkOptions work = new WorkOptions();

  RunnerCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Configuration configuration = work.over(server.over(shared.load(terminal)));
    new AppConfigurations(configuration).check();
    work.refuseMissingAgent(configuration, terminal);
    work.refuseMissingRepositories(configuration);
    return RoleRun.of(terminal, Role.RUNNER, configuration);
  }
}
