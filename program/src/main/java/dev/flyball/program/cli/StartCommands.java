package dev.flyball.program.cli;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.flyball.program.cli.Options.ConfigurationOptions;
import dev.flyball.program.cli.Options.KafkaOptions;
import dev.flyball.program.cli.Options.TableOptions;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.ProcessScope;
import dev.flyball.program.roles.RunningRoles.Plan;
import dev.flyball.program.run.Estimate;
import dev.flyball.program.run.FileRun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.tracker.JsonlSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that run the whole pipeline in one process: run for a file, up as a service. */
final class StartCommands {
  private static final Path STANDARD_INPUT = Path.of("-");

  private StartCommands() {}

  @Command(name = "run", mixinStandardHelpOptions = true)
  static Exit run(
      @Mixin ConfigurationOptions options,
      @Mixin AgentOptions agent,
      @Mixin TableOptions table,
      @Parameters(
              paramLabel = "ITEMS",
              description =
                  "A JSON object a line, or a list as `gh issue list --json` and `glab issue list`"
                      + " print it; - reads standard input")
          Path items,
      @Option(names = "--yes", description = "Start an agent that costs money without a question")
          boolean yes) {
    Configuration configuration = agent.over(options.load());
    boolean piped = items.equals(STANDARD_INPUT);
    Path file = piped ? read(System.in, configuration) : readable(items);
    try {
      return run(configuration, agent, table, file, piped, yes);
    } finally {
      if (piped) {
        remove(file);
      }
    }
  }

  private static Exit run(
      Configuration configuration,
      AgentOptions agent,
      TableOptions table,
      Path file,
      boolean piped,
      boolean yes) {
    Terminal terminal = table.terminal();
    var apps = new AppConfigurations(configuration);
    apps.check();
    requireCap(configuration);
    apps.agents().dailyBudgetNotice().ifPresent(terminal::note);
    if (apps.agents().paid() && !yes && !confirmed(terminal, Estimate.of(file, configuration))) {
      terminal.note("nothing was started");
      return Exit.FAILED;
    }
    agent.requireAgent(configuration);
    AgentOptions.requireClassifier(configuration, terminal.environment());
    try (ProcessScope tenure = ProcessScope.whole(configuration)) {
      Path own = piped ? kept(file) : file;
      return new FileRun(terminal, configuration, tenure, own, table.form()).execute();
    }
  }

  /**
   * Rejects a cap of 0. A service may run with it, but a run, which ends when all items are
   * settled, would never end.
   */
  private static void requireCap(Configuration configuration) {
    if (configuration.get(Keys.CAP) == 0) {
      throw configuration.error(
          Keys.CAP,
          "cap 0 lets no session start, so the run would never end; give 1 or more, for example"
              + " --cap 3");
    }
  }

  /** Asks whether a run may cost money: nothing that costs money starts without a confirmation. */
  private static boolean confirmed(Terminal terminal, Estimate estimate) {
    terminal.say(estimate.line());
    return terminal
        .confirm("Start?")
        .orElseThrow(() ->
            new ConfigurationError(
                "--agent "
                    + estimate.agent()
                    + " costs money and there is no terminal to ask on; add --yes"));
  }

  /**
   * Standard input as a new file of the data folder: the items are read for the estimate and for
   * the run, and a run that goes on there must not see them.
   */
  private static Path read(InputStream in, Configuration configuration) {
    Path data = configuration.get(Keys.DATA);
    Path file = data.resolve("standard-input-" + ProcessHandle.current().pid() + ".part");
    try {
      Files.createDirectories(data);
      keep(in, file);
      return file;
    } catch (IOException e) {
      remove(file);
      throw new ConfigurationError(file + ": standard input cannot be kept: " + e);
    }
  }

  /** The same under the name that each run of the data folder uses; the caller has its lock. */
  private static Path kept(Path file) {
    try {
      return Files.move(
          file,
          file.resolveSibling("standard-input.json"),
          StandardCopyOption.REPLACE_EXISTING,
          StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new ConfigurationError(file + ": cannot be renamed: " + e);
    }
  }

  private static void remove(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a stream into a file; of one that is too long, enough for its reader to refuse it. */
  static void keep(InputStream in, Path file) throws IOException {
    try (FileChannel out = FileChannel.open(file, CREATE, WRITE, TRUNCATE_EXISTING)) {
      out.transferFrom(Channels.newChannel(in), 0, JsonlSource.MAX_FILE + 1);
    }
  }

  private static Path readable(Path file) {
    if (!Files.exists(file)) {
      throw new ConfigurationError(file + ": no such file");
    }
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw new ConfigurationError(file + ": not a readable file");
    }
    return file.toAbsolutePath().normalize();
  }

  @Command(name = "up", mixinStandardHelpOptions = true)
  static Exit up(
      @Mixin KafkaOptions options,
      @Mixin AgentOptions agent,
      @Option(
              names = {"-q", "--quiet"},
              description = "Say nothing of polls and sessions on standard error")
          boolean quiet) {
    Configuration configuration = agent.complete(options.load());
    AgentOptions.requireClassifier(configuration, options.terminal().environment());
    var plan = new Plan(null, options.again(agent::over), null);
    return RoleCommands.run(options, plan, configuration, quiet, _ -> {});
  }
}
