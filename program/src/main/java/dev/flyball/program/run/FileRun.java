package dev.flyball.program.run;

import dev.flyball.broker.EmbeddedBroker;
import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.PollReport;
import dev.flyball.producer.ProducerApp;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.AppFactory;
import dev.flyball.program.roles.CapChange;
import dev.flyball.program.roles.KafkaFinder;
import dev.flyball.program.roles.PollOnce;
import dev.flyball.program.roles.Role;
import dev.flyball.program.roles.ServiceGroup;
import dev.flyball.program.roles.Signals;
import dev.flyball.program.roles.StopLimit;
import dev.flyball.program.run.RunReport.RunRow;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.runner.RunnerApp;
import dev.flyball.tracker.SourceConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the whole pipeline in this process, over a separate embedded broker, for one file: polls it
 * once, then watches until everything is settled. Used by one thread.
 */
public final class FileRun implements AutoCloseable {
  private static final Duration STUCK = Duration.ofSeconds(60);

  /** Longer than any transaction stays open, including the pause until the next try. */
  static final Duration PATIENCE = Duration.ofSeconds(90);

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Configuration configuration;
  private final SourceConfig.Jsonl source;
  private final Progress progress;
  private final Signals signals;
  private final long began = System.nanoTime();
  private final CompletableFuture<String> brokerFault = new CompletableFuture<>();

  private @Nullable EmbeddedBroker broker;
  private volatile @Nullable ServiceGroup pipeline;
  private @Nullable Service triage;
  private @Nullable RunWatcher watcher;
  private long brokenSince;
  private String triageWaits = "";

  /** Nothing is opened before {@link #execute}. */
  FileRun(Configuration configuration, Path items, Progress progress, Signals signals) {
    this.configuration = configuration;
    this.source = SourceConfig.Jsonl.of(items);
    this.progress = progress;
    this.signals = signals;
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
   * Runs until the end.
   *
   * @throws StartFailure if it cannot start, with one line
   */
  End execute() {
    var _ =
        brokerFault.thenRun(() -> {
          var _ = StopLimit.begin(StopLimit.DEFAULT, Exit.FAILED, () -> progress.say(lost()));
        });
    try {
      End end = run();
      return end instanceof End.Stopped(Exit _, String _, boolean logged)
              && logged
              && brokerFault.isDone()
          ? broken(lost())
          : end;
    } catch (RuntimeException e) {
      if (brokerFault.isDone()) {
        return broken(lost());
      }
      throw e;
    }
  }

  private End run() {
    EmbeddedBroker started = startBroker();
    var settings =
        new AppConfigurations(configuration.onEmbedded(started.clientProperties(), "embedded"));
    var apps = new AppFactory(settings, new Telemetry());
    apps.provision("topics");
    ConsoleApp console = apps.consoleOfWholeTimelines();
    pipeline = new ServiceGroup(Map.of("console", console));
    console.start();
    CapChange.settle(apps.clients("operator"), configuration, "run --cap").ifPresent(progress::say);
    // What the console has read before anything else starts is from before this run, the change of
    // the cap too.
    while (!console.catchUp(RunWatcher.CATCH_UP)) {
      Optional<String> fault = stuck();
      if (fault.isPresent()) {
        return broken(fault.get());
      }
      if (signals.came()) {
        return interrupted(0, 0);
      }
    }
    var watching = new RunWatcher(console, settings.console().data(), apps.clients("run"));
    watcher = watching;
    ProducerApp producer = apps.producerOnDemand(List.of(source));
    RunnerApp runner = apps.runner();
    runner.add(source.key());
    start(apps, producer, runner, console);
    return signals.came() ? stopped(watching) : watch(producer, runner, watching);
  }

  /** Interrupts sessions that a {@link #close} in progress lets go on. */
  void endDrain() {
    ServiceGroup running = pipeline;
    if (running != null) {
      running.endDrain();
    }
  }

  /** Stops everything, the broker last; repeated calls do nothing. */
  @Override
  public void close() {
    if (watcher != null) {
      watcher.close();
      watcher = null;
    }
    ServiceGroup running = pipeline;
    if (running != null) {
      if (brokerFault.isDone()) {
        running.endDrain();
      }
      running.stop();
      pipeline = null;
    }
    if (broker != null) {
      broker.close();
      broker = null;
    }
  }

  private EmbeddedBroker startBroker() {
    EmbeddedBroker started =
        KafkaFinder.start(
            configuration.get(Keys.DATA),
            settings -> settings.reportingFaultsTo(brokerFault::complete));
    broker = started;
    progress.say("Kafka is up on " + started.bootstrapServers() + seconds());
    return started;
  }

  private void start(AppFactory apps, ProducerApp producer, RunnerApp runner, ConsoleApp console) {
    Map<String, Service> services = new LinkedHashMap<>();
    services.put("producer", producer);
    services.put("runner", runner);
    Service judging = apps.app(Role.TRIAGE);
    triage = judging;
    services.put("triage", judging);
    services.put("console", console);
    var made = new ServiceGroup(services);
    pipeline = made;
    made.start();
  }

  private End watch(ProducerApp producer, RunnerApp runner, RunWatcher watching) {
    PollReport polled =
        firstPoll(
            () -> producer.pollNow(source.key()),
            time -> signals.within(time) || brokerFault.isDone(),
            why -> progress.say(source.path() + " is not read yet: " + why),
            PATIENCE);
    return switch (polled) {
      case PollReport.Failed failed -> broken(failed.reason());
      case PollReport.Skipped skipped when signals.came() -> stopped(watching);
      case PollReport.Skipped skipped ->
          broken(source.path() + " was not read: " + skipped.whyNot().reason());
      case PollReport.Finished finished -> {
        tell(finished);
        yield untilSettled(finished, runner, watching);
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

  private End untilSettled(PollReport.Finished polled, RunnerApp runner, RunWatcher watching) {
    brokenSince = 0;
    while (true) {
      watching.read();
      progress.show(watching.status(), Instant.now(), elapsedMs());
      sayWhyTriageWaits();
      if (signals.came()) {
        return stopped(watching);
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

  /** The state of an item that is being judged does not show why that takes long. */
  private void sayWhyTriageWaits() {
    Health health = triage == null ? Health.healthy() : triage.health();
    boolean trouble =
        health.status() == Health.Status.DEGRADED || health.status() == Health.Status.UNHEALTHY;
    String why = trouble ? String.join("; ", health.reasons()) : "";
    if (!why.equals(triageWaits) && !why.isEmpty()) {
      progress.say("triage: " + why);
    }
    triageWaits = why;
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

  private String lost() {
    return "Kafka stopped: " + brokerFault.join();
  }

  /** The fault that ends the run: Kafka stopped, or a service has been unhealthy for too long. */
  private Optional<String> stuck() {
    if (brokerFault.isDone()) {
      return Optional.of(lost());
    }
    ServiceGroup running = pipeline;
    Health health = running == null ? Health.healthy() : running.health();
    if (health.status() != Health.Status.UNHEALTHY) {
      brokenSince = 0;
    } else if (brokenSince == 0) {
      brokenSince = System.nanoTime();
    } else if (System.nanoTime() - brokenSince > STUCK.toNanos()) {
      return Optional.of(String.join("; ", health.reasons()));
    }
    return Optional.empty();
  }

  private static End stopped(RunWatcher watching) {
    RunView.Status status = watching.status();
    return interrupted(status.items().size() - status.unsettled(), status.items().size());
  }

  private static End interrupted(int settled, int items) {
    return new End.Stopped(
        Exit.INTERRUPTED,
        "stopped with "
            + settled
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
