package dev.flyball.program.cli;

import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.Tenure;
import dev.flyball.program.run.Estimate;
import dev.flyball.program.run.RunPresenter;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Runs one file of work items through the whole pipeline, in this process, until everything is
 * settled.
 */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Processes a file of work items in this one process, over a Kafka of its own on a free port,"
          + " and prints a report.",
      "",
      "The same command on the same data folder goes on where an earlier one ended, and costs"
          + " nothing for items that did not change.",
      ""
    })
final class RunCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Spec @Nullable CommandSpec spec;
  @Mixin SharedOptions shared = new SharedOptions();
  @Mixin WorkOptions work = new WorkOptions();

  @Parameters(
      paramLabel = "ITEMS.jsonl",
      description = "One JSON object a line; only id and title are required")
  @Nullable Path items;

  @Option(names = "--json", description = "The report as one line of JSON")
  boolean json;

  @Option(names = "--yes", description = "Do not ask before an agent that costs money starts")
  boolean yes;

  RunCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Path file = readable(Objects.requireNonNull(items, "a required parameter"));
    Configuration configuration = work.over(shared.load(terminal));
    var apps = new AppConfigurations(configuration);
    apps.check();
    refuseCapZero(configuration);
    apps.dailyBudgetNotice().ifPresent(terminal::say);
    if (apps.agent().paid() && !yes && !agreed(Estimate.of(file, configuration))) {
      terminal.say("flyball: nothing was started");
      return Exit.FAILED.code();
    }
    work.refuseMissingAgent(configuration, terminal);
    try (Tenure tenure = Tenure.whole(configuration)) {
      return new RunPresenter(terminal, configuration, tenure).present(file, json).code();
    }
  }

  /**
   * Rejects a cap of 0. A service may run with it, but a run, which ends when all items are
   * settled, would never end.
   */
  private static void refuseCapZero(Configuration configuration) {
    if (configuration.get(Keys.CAP) == 0) {
      throw new ConfigurationError(
          List.of(
              configuration.origin(Keys.CAP)
                  + ": cap 0 lets no session start, and a run would wait for ever; give 1 or more,"
                  + " for example --cap 3"));
    }
  }

  /** Asks whether a run may cost money: nothing that costs money starts unasked. */
  private boolean agreed(Estimate estimate) {
    terminal.say(estimate.line());
    return terminal
        .confirm("Start?")
        .orElseThrow(() ->
            usage(
                "--agent "
                    + estimate.agent()
                    + " costs money and there is no terminal to ask on; add --yes"));
  }

  private Path readable(Path file) {
    if (!Files.exists(file)) {
      throw usage(file + ": no such file");
    }
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw usage(file + ": not a readable file");
    }
    return file.toAbsolutePath().normalize();
  }

  private ParameterException usage(String line) {
    return new ParameterException(
        Objects.requireNonNull(spec, "injected by picocli").commandLine(), line);
  }
}
