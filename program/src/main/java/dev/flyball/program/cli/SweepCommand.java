package dev.flyball.program.cli;

import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.roles.DataLock;
import dev.flyball.program.roles.Role;
import dev.flyball.program.terminal.Counted;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.runner.journal.HandSweep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Ends what a dead runner of a data folder left running. */
@Command(
    name = "sweep",
    mixinStandardHelpOptions = true,
    description = {
      "Ends what a dead runner of this data folder left running: its sessions' processes, known by"
          + " boot, pid, start time and cookie, never by a name. A runner does so at its start;"
          + " this is for a folder that nothing will start on again.",
      "Exit code 3 if something could not be ended.",
      ""
    })
final class SweepCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();

  @Option(names = "--json", description = "One JSON array on one line")
  boolean json;

  SweepCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Path folder = new AppConfigurations(shared.load(terminal)).folder(Role.RUNNER.label());
    if (!Files.exists(folder.resolve("journal.db"))) {
      throw new StartFailure(
          "no runner ever worked in "
              + folder.getParent()
              + ", so nothing can be known of it; name its data folder with --data");
    }
    return told(swept(folder)).code();
  }

  /** Prints what was found; the exit code is degraded if something is left. */
  Exit told(List<HandSweep.Remains> remains) {
    var table = new Table("session", "item", "outcome", "found", "left");
    remains.forEach(each ->
        table.row(each.session(), each.item(), each.outcome().label(), each.found(), each.left()));
    table.print(terminal, json);
    int left = remains.stream().mapToInt(HandSweep.Remains::left).sum();
    if (left > 0) {
      terminal.say(
          "flyball: "
              + Counted.of(left, "process", "processes")
              + " could not be ended: look for state D in ps -ef; they end with what they wait for,"
              + " or with the machine");
    }
    return left > 0 ? Exit.DEGRADED : Exit.DONE;
  }

  private static List<HandSweep.Remains> swept(Path folder) {
    try (DataLock _ =
        DataLock.tryTake(folder)
            .orElseThrow(() ->
                new StartFailure(
                    "a live flyball owns "
                        + folder.getParent()
                        + " and sweeps it itself; nothing was done"))) {
      return HandSweep.run(folder);
    } catch (IOException e) {
      throw new StartFailure(String.valueOf(e.getMessage()), e);
    }
  }
}
