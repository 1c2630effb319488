package dev.flyball.program.cli;

import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.classifier.AgentCall;
import dev.flyball.program.cli.Options.ConfigurationOptions;
import dev.flyball.program.cli.Options.TableOptions;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.roles.DataLock;
import dev.flyball.program.roles.Role;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.runner.journal.Sweep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that ends what dead processes of a data folder left running. */
final class SweepCommand {
  private SweepCommand() {}

  @Command(
      name = "sweep",
      mixinStandardHelpOptions = true,
      description = {
        "Stop the processes of sessions and of triage calls that a dead runner or triage-stream of"
            + " this data folder left running. They are identified by the mark that Flyball sets in"
            + " each session, with pid, start time and boot, never by name.",
        "",
        "A runner and triage-stream do this when they start; use this command for a folder that"
            + " none will use again. Exit code 3 if a process could not be stopped.",
        ""
      })
  static Exit sweep(
      @Mixin ConfigurationOptions options,
      @Mixin TableOptions table,
      @Option(names = "--console", paramLabel = "URL", hidden = true) @Nullable String console) {
    if (console != null) {
      throw new ConfigurationError(
          "--console: a sweep ends processes of the machine on which it runs; run ./flyball sweep"
              + " --data DIR there");
    }
    var apps = new AppConfigurations(options.load());
    Path runner = apps.folder(Role.RUNNER.label());
    Path triage = apps.folder(Role.TRIAGE.label());
    Path calls = apps.triage().data().resolve("calls");
    boolean sessions = Files.exists(runner.resolve("journal.db"));
    boolean called = Files.exists(calls.resolve("journal.db"));
    if (!sessions && !called) {
      throw new StartFailure(
          "no runner has worked in "
              + runner.getParent()
              + ", so its sessions are unknown; name its data folder with --data");
    }
    var locks = new ArrayList<DataLock>();
    try {
      // Both before either is swept: what is refused must have changed nothing.
      if (sessions) {
        locks.add(lock(runner));
      }
      if (called) {
        locks.add(lock(triage));
      }
      var remains = new ArrayList<Sweep.Remains>();
      if (sessions) {
        remains.addAll(Sweep.byHand(runner));
      }
      if (called) {
        remains.addAll(AgentCall.sweep(calls));
      }
      return swept(table, remains);
    } catch (IOException e) {
      throw new StartFailure(String.valueOf(e.getMessage()), e);
    } finally {
      locks.forEach(DataLock::close);
    }
  }

  private static DataLock lock(Path role) {
    return DataLock.tryTake(role)
        .orElseThrow(() ->
            new StartFailure(
                "a running flyball uses "
                    + role.getParent()
                    + " and sweeps it itself; nothing was done"));
  }

  /** Prints what was found; the exit code is degraded if something is left. */
  static Exit swept(TableOptions table, List<Sweep.Remains> remains) {
    var _ =
        table.print(
            Table.of(remains)
                .column("session", it -> it.row().session())
                .column("item", it -> it.row().item())
                .column("outcome", it -> it.outcome().label())
                .column("found", Sweep.Remains::found)
                .column("left", Sweep.Remains::left));
    int left = remains.stream().mapToInt(Sweep.Remains::left).sum();
    if (left == 0) {
      return Exit.DONE;
    }
    table
        .terminal()
        .note(
            CountedNoun.of(left, "process", "processes")
                + " could not be stopped: look for state D in ps -ef; they end with the I/O that"
                + " they wait for, or with a restart of the machine");
    return Exit.DEGRADED;
  }
}
