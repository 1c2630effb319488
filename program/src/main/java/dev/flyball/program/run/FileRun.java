package dev.flyball.program.run;

import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.producer.PollReport;
import dev.flyball.producer.ProducerApp;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.Narrator;
import dev.flyball.program.roles.PollOnce;
import dev.flyball.program.roles.ProcessScope;
import dev.flyball.program.roles.RunningRoles;
import dev.flyball.program.roles.RunningRoles.Plan;
import dev.flyball.program.roles.ServiceRun;
import dev.flyball.program.roles.Signals;
import dev.flyball.program.run.RunReport.RunRow;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.runner.RunnerApp;
import dev.flyball.tracker.SourceConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
final class FileRun {
  private static final Duration STUCK = Duration.ofSeconds(60);

  /** Longer than any transaction stays open, including the pause until the next try. */
  static final Duration PATIENCE = Duration.ofSeconds(90);

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Configuration configuration;
  private final SourceConfig.Jsonl source;
  private final Progress progress;
  private final Signals signals;
  private final RunningRoles roles;
  private final Narrator narrator;
  private final long began = System.nanoTime();

  private @Nullable RunWatcher watcher;
  private @Nullable End end;
  private long brokenSince;

  /** Nothing is opened before {@link #execute}. */
  FileRun(Configuration configuration, Path items, Progress progress, ProcessScope scope) {
    this.configuration = configuration;
    this.source = SourceConfig.Jsonl.of(items);
    this.progress = progress;
    this.signals = scope.signals();
    var apps = new AppConfigurations(configuration);
    this.narrator = new Narrator(apps.console().data(), apps.runnerId(), false, progress::say);
    var plan = new Plan(null, null, new Plan.OfFile(source, this::begin));
    this.roles = new RunningRoles(plan, configuration, progress::say, signals::came);
    // Said immediately: without Kafka the stop may take long.
    var _ = roles.fault().thenAccept(line -> progress.last(line + "; see " + scope.log()));
  }

  /** How the run ended. */
  sealed interface End {
    /** Everything is settled. */
    record Settled(
        RunReport report,
        RunView.Status status,
        int inherited,
        List<RunRow> rows,
        List<ItemRow> dead)
        implements End {}

    /**
     * Not everything is settled: a signal came, the rest waits for something that only a person can
     * change, or for a fault that waiting does not fix.
     *
     * @param line for a person
     * @param logged whether the log file says more
     */
    record Stopped(Exit exit, String line, boolean logged) implements End {}
  }

  /**
   * Runs until the end, and stops everything.
   *
   * @param settled takes the result of a settled run, before anything stops
   * @throws StartFailure if it cannot start, with one line
   */
  End execute(Consumer<End.Settled> settled) {
    var run =
        new ServiceRun(
            roles,
            signals,
            roles.fault(),
            Exit.FAILED,
            configuration.get(Keys.DRAIN),
            configuration.get(Keys.GRACE));
    var _ =
        run.during(() -> {
          try (RunWatcher watching = watcher) {
            if (watching != null && end == null && !signals.came()) {
              end = watch(watching);
            }
          }
          if (end instanceof End.Settled result) {
            var _ = narrator.stopped();
            settled.accept(result);
          }
        });
    if (end instanceof End.Settled) {
      return end;
    }
    var _ = narrator.stopped();
    boolean explained = end instanceof End.Stopped stopped && !stopped.logged();
    if (end != null && (explained || !roles.fault().isDone())) {
      return end;
    }
    return roles.fault().isDone() ? broken(roles.fault().join()) : interrupted(watcher);
  }

  /**
   * Waits until the console has read what is from before this run, the change of the cap too, and
   * begins to watch; returns whether the run goes on.
   */
  private boolean begin(ConsoleApp console) {
    progress.say("Kafka is up on " + roles.servers() + seconds());
    while (!console.catchUp(RunWatcher.CATCH_UP)) {
      Optional<String> fault = stuck();
      if (fault.isPresent()) {
        end = broken(fault.get());
      }
      if (end != null || signals.came()) {
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
            time -> signals.within(time) || roles.fault().isDone(),
            why -> progress.say(source.path() + " is not read yet: " + why),
            PATIENCE);
    return switch (polled) {
      case PollReport.Failed failed -> broken(failed.reason());
      case PollReport.Skipped skipped when signals.came() -> interrupted(watching);
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

  private End untilSettled(PollReport.Finished polled, RunWatcher watching) {
    RunnerApp runner = roles.service(RunnerApp.class);
    brokenSince = 0;
    while (true) {
      watching.read();
      progress.show(watching.status(), Instant.now(), elapsedMs());
      narrator.look(roles.health());
      if (signals.came()) {
        return interrupted(watching);
      }
      if (watching.remains(RunView.Status::settled)) {
        return watching.settled(polled, runner.mostTrees(), elapsedMs());
      }
      if (watching.remains(RunView.Status::capZero)) {
        return blocked(noPermit(watching.status()));
      }
      Set<String> faults = runner.lastingFaults();
      if (!faults.isEmpty() && watching.remains(RunView.Status::onlySessionsAreMissing)) {
        return blocked(noRunner(watching.status(), faults));
      }
      Optional<String> fault = stuck();
      if (fault.isPresent()) {
        return broken(fault.get());
      }
    }
  }

  private String noPermit(RunView.Status status) {
    return CountedNoun.of(status.unsettled(), "item waits", "items wait")
        + " for a session, and the cap that an earlier start left in "
        + configuration.get(Keys.DATA)
        + " is 0: no session can start; run it again with --cap N";
  }

  private static String noRunner(RunView.Status status, Set<String> faults) {
    return CountedNoun.of(status.unsettled(), "item waits", "items wait")
        + " for a session, and none can start here ("
        + String.join("; ", faults)
        + "); fix it and run the same command again";
  }

  /** The fault that ends the run: Kafka stopped, or a service has been unhealthy for too long. */
  private Optional<String> stuck() {
    if (roles.fault().isDone()) {
      return Optional.of(roles.fault().join());
    }
    Health health = roles.health();
    if (health.status() != Health.Status.UNHEALTHY) {
      brokenSince = 0;
    } else if (brokenSince == 0) {
      brokenSince = System.nanoTime();
    } else if (System.nanoTime() - brokenSince > STUCK.toNanos()) {
      return Optional.of(String.join("; ", health.reasons()));
    }
    return Optional.empty();
  }

  private static End interrupted(@Nullable RunWatcher watching) {
    RunView.Status status = watching == null ? RunView.Status.NOTHING : watching.status();
    int items = status.items().size();
    return new End.Stopped(
        Exit.INTERRUPTED,
        "stopped with "
            + (items - status.unsettled())
            + " of "
            + items
            + " items settled; no agent is left running. The same command goes on from here",
        false);
  }

  private static End broken(String line) {
    return new End.Stopped(Exit.FAILED, line, true);
  }

  private static End blocked(String line) {
    return new End.Stopped(Exit.FAILED, line, false);
  }

  private void tell(PollReport.Finished finished) {
    progress.say(
        CountedNoun.of(finished.lines(), "line", "lines")
            + " of "
            + source.path().getFileName()
            + " read: "
            + CountedNoun.of(finished.items(), "item", "items")
            + ", "
            + CountedNoun.of(finished.changed(), "snapshot", "snapshots")
            + " to look at, "
            + finished.duplicates()
            + " known already, "
            + finished.invalid().size()
            + " unreadable"
            + seconds());
    finished.complaints(PollOnce.SHOWN).forEach(progress::say);
  }

  private long elapsedMs() {
    return Duration.ofNanos(System.nanoTime() - began).toMillis();
  }

  private String seconds() {
    return " (" + elapsedMs() / 1000 + " s)";
  }
}
