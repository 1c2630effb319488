package dev.flyball.program.run;

import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.producer.PollReport;
import dev.flyball.producer.ProducerApp;
import dev.flyball.program.admin.AdminTool;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.Narrator;
import dev.flyball.program.roles.PollOnce;
import dev.flyball.program.roles.ProcessScope;
import dev.flyball.program.roles.RunningRoles;
import dev.flyball.program.roles.RunningRoles.Plan;
import dev.flyball.program.roles.ServiceRun;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.runner.RunnerApp;
import dev.flyball.tracker.SourceConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs every role for one file, as {@code up} does for the configured sources: polls the file once,
 * then watches until everything is settled. Used by one thread.
 */
public final class FileRun {
  private static final Duration STUCK = Duration.ofSeconds(60);

  /** Longer than any transaction stays open, including the pause until the next try. */
  static final Duration PATIENCE = Duration.ofSeconds(90);

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Terminal terminal;
  private final Configuration configuration;
  private final ProcessScope scope;
  private final SourceConfig.Jsonl source;
  private final Table.Form form;
  private final Progress progress;
  private final RunningRoles roles;
  private final Narrator narrator;
  private final long began = System.nanoTime();

  private @Nullable RunWatcher watcher;
  private @Nullable End end;

  /** Whether it was said that the machine is too busy for two sessions at a time. */
  private boolean slowed;

  /** When no service was unhealthy last. */
  private long worked;

  /**
   * Nothing is opened before {@link #execute}.
   *
   * @param form how the result is printed
   */
  public FileRun(
      Terminal terminal,
      Configuration configuration,
      ProcessScope scope,
      Path items,
      Table.Form form) {
    this.terminal = terminal;
    this.configuration = configuration;
    this.scope = scope;
    this.source = SourceConfig.Jsonl.of(items);
    this.form = form;
    this.progress = new Progress(terminal);
    var apps = new AppConfigurations(configuration);
    this.narrator =
        new Narrator(
            apps.console().data(), () -> apps.label("runner"), false, Instant.now(), progress::say);
    var plan = new Plan(null, null, new Plan.OfFile(source, this::begin));
    this.roles = new RunningRoles(plan, configuration, scope.signals(), progress::say);
    // Both are said immediately: a stop may take long.
    var _ = scope.signals().first().thenRun(() -> narrator.stopping(configuration.get(Keys.DRAIN)));
    var _ = roles.fault().thenAccept(line -> progress.last(line + "; see " + scope.log()));
  }

  /**
   * How a run ended.
   *
   * @param line why not everything is settled; null if it is
   */
  private record End(Exit exit, @Nullable String line) {}

  /**
   * Runs until the end, prints the result, and stops everything.
   *
   * @throws StartFailure if it cannot start, with one line
   */
  public Exit execute() {
    var run =
        new ServiceRun(
            roles,
            scope.signals(),
            roles.fault(),
            Exit.FAILED,
            configuration.get(Keys.DRAIN),
            configuration.get(Keys.GRACE));
    var _ =
        run.during(() -> {
          try (RunWatcher watching = watcher) {
            if (watching != null && end == null && !scope.signals().came()) {
              end = watch(watching);
            }
          }
        });
    End last =
        end != null ? end : roles.fault().isDone() ? broken(roles.fault().join()) : interrupted();
    if (last.line != null) {
      var _ = narrator.stopped();
      progress.say(last.line);
    }
    return last.exit;
  }

  /**
   * Waits until the console has read what is from before this run, the change of the cap too, and
   * begins to watch; returns whether the run goes on.
   */
  private boolean begin(ConsoleApp console) {
    progress.say("Kafka is up on " + roles.servers() + seconds());
    worked = System.nanoTime();
    while (!console.catchUp(RunWatcher.CATCH_UP)) {
      Optional<String> fault = stuck();
      if (fault.isPresent()) {
        end = broken(fault.get());
      }
      if (end != null || scope.signals().came()) {
        return false;
      }
    }
    Path data = new AppConfigurations(configuration).console().data();
    watcher = new RunWatcher(console, data, roles.clients("run"));
    return true;
  }

  private End watch(RunWatcher watching) {
    ProducerApp producer = roles.service(ProducerApp.class);
    PollReport polled =
        firstPoll(
            () -> producer.pollNow(source.key()),
            time -> scope.signals().within(time) || roles.fault().isDone(),
            why -> progress.say(source.path() + " is not read yet: " + why),
            PATIENCE);
    return switch (polled) {
      case PollReport.Failed failed -> broken(failed.reason());
      case PollReport.Skipped _ when scope.signals().came() -> interrupted();
      case PollReport.Skipped skipped ->
          broken(source.path() + " was not read: " + skipped.whyNot().reason());
      case PollReport.Finished finished -> {
        tell(finished);
        yield untilSettled(finished, watching);
      }
    };
  }

  /**
   * The one poll of a run, several times if its obstacle passes by itself: a service tries again,
   * so such an obstacle must not end a run either.
   *
   * @param overWithin waits for this long; whether the run is over, so that no result is needed
   * @param waiting takes one line on what the poll waits for
   * @return the last report
   */
  static PollReport firstPoll(
      Supplier<PollReport> poll,
      Predicate<Duration> overWithin,
      Consumer<String> waiting,
      Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    boolean said = false;
    PollReport report = poll.get();
    while (report instanceof PollReport.Skipped skipped
        && skipped.whyNot().passes()
        && System.nanoTime() < end) {
      if (!said) {
        waiting.accept(
            skipped.whyNot().reason() + "; trying again for up to " + patience.toSeconds() + " s");
        said = true;
      }
      if (overWithin.test(PAUSE)) {
        break;
      }
      report = poll.get();
    }
    return report;
  }

  private String place() {
    return configuration.origin(Keys.DATA).equals("--data")
        ? " --data " + AdminTool.quoted(configuration.get(Keys.DATA).toString())
        : "";
  }

  private End untilSettled(PollReport.Finished polled, RunWatcher watching) {
    RunnerApp runner = roles.service(RunnerApp.class);
    worked = System.nanoTime();
    watching.read();
    long left = watching.status().items().stream().filter(RunView.Status.Item::continued).count();
    if (left > 0) {
      progress.say(
          CountedNoun.of(left, "item", "items")
              + " of an earlier run over "
              + configuration.get(Keys.DATA)
              + " wait here, and run too");
    }
    while (true) {
      watching.read();
      progress.show(watching.status(), Instant.now(), elapsedMs());
      narrator.look(roles.health());
      if (!slowed) {
        runner
            .overloaded()
            .ifPresent(why -> {
              slowed = true;
              progress.say("sessions run one by one while this machine is busy: " + why);
            });
      }
      if (scope.signals().came()) {
        return interrupted();
      }
      if (watching.remains(RunView.Status::settled)) {
        var _ = narrator.stopped();
        RunResult result = watching.result(polled, runner.mostTrees(), elapsedMs());
        var cost = Estimate.ofScoutsSessions(result.figures().analyses(), configuration);
        result.print(terminal, form, progress, place(), watching::why, cost);
        return new End(result.exit(), null);
      }
      if (watching.remains(RunView.Status::capZero)) {
        return blocked(
            watching.status(),
            "the cap that an earlier start left in "
                + configuration.get(Keys.DATA)
                + " is 0: no session can start; run it again with --cap N");
      }
      Set<String> faults = runner.lastingFaults();
      if (!faults.isEmpty() && watching.remains(RunView.Status::onlySessionsAreMissing)) {
        return blocked(
            watching.status(),
            "none can start here ("
                + String.join("; ", faults)
                + "); fix it and run the same command again");
      }
      Optional<String> fault = stuck();
      if (fault.isPresent()) {
        return broken(fault.get());
      }
    }
  }

  /** The fault that ends the run: Kafka stopped, or a service has been unhealthy for too long. */
  private Optional<String> stuck() {
    if (roles.fault().isDone()) {
      return Optional.of(roles.fault().join());
    }
    Health health = roles.health();
    long now = System.nanoTime();
    if (health.status() != Health.Status.UNHEALTHY) {
      worked = now;
    }
    return now - worked > STUCK.toNanos()
        ? Optional.of(String.join("; ", health.reasons()))
        : Optional.empty();
  }

  private End interrupted() {
    RunView.Status status = watcher == null ? RunView.Status.NOTHING : watcher.status();
    int items = status.items().size();
    String settled =
        "stopped with " + (items - status.unsettled()) + " of " + items + " items settled";
    return new End(
        Exit.INTERRUPTED,
        settled + "; no agent is left running. The same command goes on from here");
  }

  private End broken(String line) {
    return new End(Exit.FAILED, line + "; see " + scope.log());
  }

  private static End blocked(RunView.Status status, String why) {
    String waiting = CountedNoun.of(status.unsettled(), "item waits", "items wait");
    return new End(Exit.FAILED, waiting + " for a session, and " + why);
  }

  private void tell(PollReport.Finished finished) {
    int invalid = finished.invalid().size();
    boolean known = finished.changed() == 0 && finished.items() > 0;
    progress.say(
        CountedNoun.of(finished.items(), "item", "items")
            + " read from "
            + source.path().getFileName()
            + (known ? ", none new or changed since the last run" : "")
            + (invalid == 0 ? "" : ", " + CountedNoun.of(invalid, "line", "lines") + " unreadable")
            + seconds());
    finished.complaints(PollOnce.SHOWN).forEach(progress::say);
    if (known) {
      progress.say(
          "with this or another agent, over "
              + configuration.get(Keys.DATA)
              + "; all of them again: --data NEW-FOLDER, one: ./flyball retry KEY");
    }
  }

  private long elapsedMs() {
    return Duration.ofNanos(System.nanoTime() - began).toMillis();
  }

  private String seconds() {
    return " (" + elapsedMs() / 1000 + " s)";
  }
}
