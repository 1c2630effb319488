package dev.flyball.program.cli;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

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
import java.nio.file.StandardOpenOption;
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
      @Parameters(paramLabel = "ITEMS") Path items,
      @Option(names = "--yes") boolean yes) {
    Configuration configuration = agent.over(options.load());
    Terminal terminal = options.terminal;
    try (Items given = Items.of(items)) {
      var apps = new AppConfigurations(configuration);
      apps.check();
      requireCap(configuration);
      apps.agents().dailyBudgetNotice().ifPresent(terminal::note);
      if (apps.agents().paid()
          && !yes
          && !confirmed(terminal, Estimate.of(given.file(), configuration))) {
        terminal.note("nothing was started");
        return Exit.FAILED;
      }
      agent.requireAgent(configuration);
      AgentOptions.requireClassifier(configuration, terminal.environment());
      try (ProcessScope scope = ProcessScope.of(configuration, null)) {
        Path own = given.kept(configuration.get(Keys.DATA));
        return new FileRun(terminal, configuration, scope, own, table.form()).execute();
      }
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
   * The items that a command was given. Standard input is read once, for more than one reader, into
   * a file that is deleted at the end.
   */
  record Items(Path file, boolean piped) implements AutoCloseable {
    /** A file, or {@code -} for standard input. */
    static Items of(Path named) {
      if (named.equals(STANDARD_INPUT)) {
        return read(System.in);
      }
      if (!Files.exists(named)) {
        throw new ConfigurationError(named + ": no such file");
      }
      if (!Files.isRegularFile(named) || !Files.isReadable(named)) {
        throw new ConfigurationError(named + ": not a readable file");
      }
      return new Items(named.toAbsolutePath().normalize(), false);
    }

    private static Items read(InputStream in) {
      try {
        var items = new Items(Files.createTempFile("flyball-items-", ".json"), true);
        try (FileChannel out = FileChannel.open(items.file, StandardOpenOption.WRITE)) {
          // Of one that is too long, enough for its reader to refuse it.
          out.transferFrom(Channels.newChannel(in), 0, JsonlSource.MAX_FILE + 1);
        }
        return items;
      } catch (IOException e) {
        throw new ConfigurationError("standard input cannot be kept: " + e);
      }
    }

    /** The file that a run with this data folder reads; the caller has the folder's lock. */
    Path kept(Path data) {
      try {
        return piped
            ? Files.move(file, data.resolve("standard-input.json"), REPLACE_EXISTING)
            : file;
      } catch (IOException e) {
        throw new ConfigurationError(data + ": standard input cannot be kept in it: " + e);
      }
    }

    @Override
    public void close() {
      try {
        if (piped) {
          Files.deleteIfExists(file);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Command(name = "up", mixinStandardHelpOptions = true)
  static Exit up(
      @Mixin KafkaOptions options,
      @Mixin AgentOptions agent,
      @Option(names = {"-q", "--quiet"}) boolean quiet) {
    Configuration configuration = agent.complete(options.load());
    AgentOptions.requireClassifier(configuration, options.terminal.environment());
    var plan = new Plan(null, options.again(agent::over), null);
    return RoleCommands.run(options, plan, configuration, quiet, _ -> {});
  }
}
