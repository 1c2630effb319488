package dev.flyball.program.cli;

import dev.flyball.program.config.Configuration;
import dev.flyball.program.doctor.Doctor;
import dev.flyball.program.doctor.Finding;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks what Flyball needs. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description = {
      "Checks machine, JDK, containment, data folder, repository, agent, sources, Kafka and topics;"
          + " each problem comes with its mend.",
      "Exit code 3 if something is degraded, 4 if something does not work.",
      ""
    })
final class DoctorCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();
  @Mixin ServerOptions server = new ServerOptions();

  @Option(names = "--json", description = "One JSON array on one line")
  boolean json;

  DoctorCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Configuration configuration = server.over(shared.load(terminal));
    List<Finding> findings = Doctor.examine(configuration, terminal.environment());
    var table = new Table("check", "state", "found", "mend");
    findings.forEach(it -> table.row(it.check(), it.state().label(), it.found(), it.mend()));
    table.print(terminal, json);
    return findings.stream()
        .map(Finding::state)
        .max(Finding.State::compareTo)
        .map(DoctorCommand::exit)
        .orElse(Exit.DONE)
        .code();
  }

  private static Exit exit(Finding.State worst) {
    return switch (worst) {
      case ABSENT, OK -> Exit.DONE;
      case DEGRADED -> Exit.DEGRADED;
      case UNHEALTHY -> Exit.UNHEALTHY;
    };
  }
}
