package dev.flyball.program.cli;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.producer.DryRun;
import dev.flyball.producer.PollReport;
import dev.flyball.producer.ProducerApp;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.program.cli.Options.ConfigurationOptions;
import dev.flyball.program.cli.Options.KafkaOptions;
import dev.flyball.program.cli.Options.TableOptions;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.config.ConfiguredClassifier;
import dev.flyball.program.config.Keys;
import dev.flyball.program.doctor.SourceCheck;
import dev.flyball.program.roles.AppFactory;
import dev.flyball.program.roles.HotConfiguration;
import dev.flyball.program.roles.KafkaFinder;
import dev.flyball.program.roles.Narrator;
import dev.flyball.program.roles.PollOnce;
import dev.flyball.program.roles.ProcessScope;
import dev.flyball.program.roles.Role;
import dev.flyball.program.roles.RunningRoles;
import dev.flyball.program.roles.RunningRoles.Plan;
import dev.flyball.program.roles.ServiceRun;
import dev.flyball.program.roles.Signals;
import dev.flyball.program.run.Estimate;
import dev.flyball.program.run.FileRun;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.tracker.JsonlSource;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.RulesClassifier;
import dev.flyball.triage.classify.ShadowComparison;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The commands that run roles: all of them for a file (run) or as a service (up), or one of them
 * (producer, triage, runner, console).
 */
final class RoleCommands {
  private static final Path STANDARD_INPUT = Path.of("-");

  private RoleCommands() {}

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
      AgentOptions.requireAgent(configuration, terminal.environment());
      AgentOptions.requireClassifier(configuration, terminal.environment());
      apps.agents().dailyBudgetNotice().ifPresent(terminal::note);
      if (!table.json && Estimate.nothing(given.file())) {
        terminal.note((given.piped() ? "standard input" : items) + " has no items");
        return Exit.DONE;
      }
      // Nothing that costs money starts without a confirmation.
      if (apps.agents().paid() && !yes) {
        Estimate estimate = Estimate.of(given.file(), configuration);
        String costs = "--agent " + estimate.agent() + " costs money";
        if (!Options.confirmed(terminal, estimate.line(), costs)) {
          terminal.note("nothing was started");
          return Exit.FAILED;
        }
      }
      try (ProcessScope scope = ProcessScope.of(configuration, null)) {
        Path own = given.kept(configuration.get(Keys.DATA));
        return new FileRun(terminal, configuration, scope, own, table.form()).execute();
      }
    }
  }

  /** Rejects a cap of 0, with which a run, unlike a service, would never end. */
  static void requireCap(Configuration configuration) {
    if (configuration.get(Keys.CAP) == 0) {
      throw configuration.error(
          Keys.CAP,
          "cap 0 lets no session start, so the run would never end; give 1 or more, for example"
              + " --cap 3");
    }
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
    Configuration configuration = agent.complete(options);
    AgentOptions.requireClassifier(configuration, options.terminal.environment());
    var plan = new Plan(null, options.again(agent::over), null);
    return run(options, plan, configuration, quiet, _ -> {});
  }

  @Command(name = "producer", mixinStandardHelpOptions = true)
  static Exit producer(
      @Mixin KafkaOptions options,
      @Option(names = "--once") boolean once,
      @Option(names = "--dry-run") boolean dryRun,
      @Option(names = "--json") boolean json) {
    Configuration configuration = options.load();
    if (!once && (dryRun || json)) {
      throw new ConfigurationError("--dry-run and --json need --once; add --once");
    }
    if (!once) {
      return run(options, Role.PRODUCER, configuration, options.again(UnaryOperator.identity()));
    }
    ProducerConfig producer = new AppConfigurations(configuration).producer();
    if (producer.sources().isEmpty()) {
      // An empty successful answer would read as: nothing has changed.
      throw new ConfigurationError(
          "no source is configured; write a flyball.yaml with ./flyball init, or name one with"
              + " --config");
    }
    return dryRun
        ? dryRun(options.terminal, configuration, json)
        : PollOnce.poll(options.terminal, configuration, json);
  }

  private static Exit dryRun(Terminal terminal, Configuration configuration, boolean json) {
    var apps = new AppConfigurations(configuration);
    boolean rules = apps.classifier() instanceof ConfiguredClassifier.Rules;
    Exit exit = Exit.DONE;
    for (DryRun answer : ProducerApp.dryRun(apps.producer())) {
      switch (answer) {
        case DryRun.Read read -> {
          PollReport.complaints(read.invalid(), read.items().isEmpty(), PollOnce.SHOWN)
              .forEach(terminal::note);
          PollReport.ignored(read.source(), read.unknown()).ifPresent(terminal::note);
          if (json) {
            printLines(terminal, read);
          } else {
            printTable(terminal, read, rules);
          }
          exit = read.invalid().isEmpty() || exit == Exit.FAILED ? exit : Exit.DEGRADED;
        }
        case DryRun.Unreadable failed -> {
          terminal.note(failed.source() + ": " + failed.reason());
          exit = Exit.FAILED;
        }
      }
    }
    return exit;
  }

  /** For a person: what would become of each item. */
  private static void printTable(Terminal terminal, DryRun.Read read, boolean rules) {
    Table.of(read.items())
        .column("item", DryRun.Item::key)
        .column("would be", item -> fate(item, rules))
        .column("title", item -> item.snapshot() == null ? "" : item.snapshot().title())
        .print(terminal, Table.Form.FULL);
    String items = CountedNoun.of(read.items().size(), "item", "items");
    String requests = CountedNoun.of(read.requests(), "request", "requests");
    String judged =
        read.changed() + " would be published, of which triage would judge " + read.taken();
    String line = read.source() + ": " + items + " read with " + requests + ", " + judged;
    terminal.note(line + "; nothing was published or started");
  }

  private static String fate(DryRun.Item item, boolean rules) {
    Snapshot snapshot = item.snapshot();
    if (snapshot == null) {
      return "left out: " + item.reason();
    } else if (!item.taken()) {
      return "skipped: " + item.reason();
    } else if (!rules) {
      return "judged: " + item.reason();
    }
    Judgement judgement = RulesClassifier.judge("", snapshot);
    return (judgement.needsDeepAnalysis() ? "analyzed: " : "skipped: ") + judgement.reason();
  }

  /** For a program: one line for each item, and one with the numbers. */
  private static void printLines(Terminal terminal, DryRun.Read read) {
    String source = read.source();
    read.items().stream()
        .map(item -> new Planned(source, item.key(), item.publish(), item.reason()))
        .forEach(line -> terminal.out().println(RecordJson.write(line)));
    var totals = new Totals(source, read.items().size(), read.changed(), read.requests());
    terminal.out().println(RecordJson.write(totals));
  }

  /** What a poll would do with an item. */
  private record Planned(String source, String key, boolean publish, String reason) {}

  private record Totals(String source, int polled, long changed, int requests) {}

  @Command(name = "triage", mixinStandardHelpOptions = true)
  static Exit triage(
      @Mixin KafkaOptions options,
      @Option(names = "--shadow", paramLabel = "CONFIG") @Nullable Path shadow,
      @Option(names = "--since", paramLabel = "AGE") @Nullable Duration since,
      @Option(names = "--json") boolean json) {
    Configuration configuration = options.load();
    if (shadow != null) {
      return shadow(
          options, configuration, shadow, since == null ? Duration.ofDays(7) : since, json);
    }
    if (since != null || json) {
      throw new ConfigurationError("--since and --json need --shadow; add --shadow CONFIG");
    }
    AgentOptions.requireClassifier(configuration, options.terminal.environment());
    return run(options, Role.TRIAGE, configuration, null);
  }

  /** Kafka knows no time before 1970; an age beyond it is that of everything. */
  private static Instant since(Instant now, Duration age) {
    Duration most = Duration.between(Instant.EPOCH, now);
    return now.minus(age.compareTo(most) < 0 ? age : most);
  }

  private static Exit shadow(
      KafkaOptions options, Configuration configuration, Path file, Duration age, boolean json) {
    Terminal terminal = options.terminal;
    Instant since = since(Instant.now(), age);
    Configuration other = ConfigurationLoader.load(file, terminal.environment(), List.of());
    AgentOptions.requireClassifier(other, terminal.environment());
    var _ = new AppConfigurations(other).triage();
    Optional<ShadowComparison> found =
        AppFactory.shadow(options.clients(configuration, "shadow"), configuration, other, since);
    if (found.isEmpty()) {
      terminal.note("stopped");
      return Exit.INTERRUPTED;
    }
    var report = new ShadowReport(file.toString(), since, found.get());
    if (json) {
      terminal.out().println(RecordJson.write(report.json()));
    } else {
      report.print(terminal);
    }
    return Exit.DONE;
  }

  @Command(name = "runner", mixinStandardHelpOptions = true)
  static Exit runner(@Mixin KafkaOptions options, @Mixin AgentOptions agent) {
    return run(options, Role.RUNNER, agent.complete(options), null);
  }

  @Command(name = "console", mixinStandardHelpOptions = true)
  static Exit console(@Mixin KafkaOptions options) {
    return run(options, Role.CONSOLE, options.load(), null);
  }

  /** Runs one role until a signal or a fault. */
  private static Exit run(
      KafkaOptions options,
      Role only,
      Configuration configuration,
      HotConfiguration.@Nullable Again again) {
    return run(options, new Plan(only, again, null), configuration, true, _ -> {});
  }

  /**
   * Runs roles until a signal or a fault.
   *
   * @param quiet whether nothing is reported of what they do
   * @param ready called with the signals that end them once the ready line is printed
   */
  static Exit run(
      KafkaOptions options,
      Plan plan,
      Configuration configuration,
      boolean quiet,
      Consumer<Signals> ready) {
    Terminal terminal = options.terminal;
    var apps = new AppConfigurations(configuration);
    apps.check();
    Role only = plan.only();
    if (only != null) {
      var _ = new AppConfigurations(KafkaFinder.forRole(configuration)).kafka(only.label());
    }
    boolean runner = only == null || only == Role.RUNNER;
    try (ProcessScope scope = ProcessScope.of(configuration, only)) {
      var roles = new RunningRoles(plan, configuration, scope.signals(), terminal::note);
      // Armed immediately: without Kafka the stop may take long.
      var _ = roles.fault().thenAccept(line -> terminal.note(line + "; see " + scope.log()));
      Duration drain = runner ? configuration.get(Keys.DRAIN) : Duration.ZERO;
      Narrator narrator =
          quiet
              ? null
              : new Narrator(
                  apps.console().data(),
                  () -> apps.label("runner"),
                  true,
                  Instant.now(),
                  terminal::note);
      if (narrator != null) {
        var _ = scope.signals().first().thenRun(() -> narrator.stopping(drain));
      }
      var run =
          new ServiceRun(
              roles,
              scope.signals(),
              roles.fault(),
              Exit.UNHEALTHY,
              drain,
              configuration.get(Keys.GRACE));
      Optional<String> signal =
          run.untilEnded(
              () -> {
                // Printed only now: a start that fails prints one line with the reason.
                if (only == null || only == Role.PRODUCER) {
                  SourceCheck.warnings(apps.producer().sources(), terminal.environment())
                      .forEach(terminal::note);
                }
                if (runner) {
                  apps.agents().dailyBudgetNotice().ifPresent(terminal::note);
                }
                terminal.out().println(roles.readyLine());
                if (narrator != null) {
                  terminal.note("the page is " + roles.address() + ", the log " + scope.log());
                }
                ready.accept(scope.signals());
              },
              () -> {
                if (narrator != null) {
                  narrator.look(roles.health());
                }
              });
      if (signal.isEmpty()) {
        // The fault was reported when it happened.
        return Exit.UNHEALTHY;
      }
      terminal.note(narrator == null ? "stopped" : narrator.stopped());
      // TERM is the usual way to stop a service.
      return signal.get().equals("INT") ? Exit.INTERRUPTED : Exit.DONE;
    }
  }
}
