package dev.flyball.program.cli;

import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import dev.flyball.program.doctor.Doctor;
import dev.flyball.program.roles.ServiceRun;
import dev.flyball.program.roles.Tenure;
import dev.flyball.program.roles.Up;
import dev.flyball.program.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs every role as a service. */
@Command(
    name = "up",
    mixinStandardHelpOptions = true,
    description = {
      "Runs every role as one service until it is stopped: polls the configured sources, analyzes"
          + " what changed, answers on the console's address.",
      "",
      "Embeds Kafka on broker.listen unless --bootstrap-servers or kafka.bootstrap.servers says"
          + " otherwise. State in the data folder survives anything.",
      ""
    })
final class UpCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();
  @Mixin ServerOptions server = new ServerOptions();
  @Mixin WorkOptions work = new WorkOptions();

  UpCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Configuration configuration = work.over(server.over(shared.load(terminal)));
    new AppConfigurations(configuration).check();
    work.refuseMissingAgent(configuration, terminal);
    work.refuseMissingRepositories(configuration);
    try (Tenure tenure = Tenure.whole(configuration)) {
      var up =
          new Up(
              configuration,
              shared.again(terminal, it -> work.over(server.over(it))),
              line -> terminal.say("flyball: " + line),
              tenure.signals()::came);
      // Armed immediately: without Kafka the stop may take long.
      var _ =
          up.fault().thenAccept(line -> terminal.say("flyball: " + line + "; see " + tenure.log()));
      var run =
          new ServiceRun(
              up,
              tenure.signals(),
              up.fault(),
              configuration.get(Keys.DRAIN),
              configuration.get(Keys.GRACE));
      return Ended.code(terminal, run.untilEnded(() -> tellReady(configuration, up)));
    }
  }

  private void tellReady(Configuration configuration, Up up) {
    // Printed only now: a start that fails prints one line with the reason.
    Doctor.warnings(configuration, terminal.environment())
        .forEach(line -> terminal.say("flyball: " + line));
    new AppConfigurations(configuration).dailyBudgetNotice().ifPresent(terminal::say);
    terminal.out().println(up.readyLine());
  }
}
