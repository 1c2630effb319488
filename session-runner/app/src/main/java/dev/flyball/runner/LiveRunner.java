package dev.flyball.runner;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.LedgerHealth;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.events.Redactor;
import dev.flyball.runner.events.SessionPublisher;
import dev.flyball.runner.execution.LiveTrees;
import dev.flyball.runner.execution.Session;
import dev.flyball.runner.execution.Sessions;
import dev.flyball.runner.gate.MachineReadings;
import dev.flyball.runner.journal.Sweep;
import dev.flyball.runner.ledger.LedgerLoop;
import dev.flyball.runner.ledger.RunnerCallbacks;
import dev.flyball.runner.ledger.Watchdog;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.repository.SourceWorkplaces;
import dev.flyball.runner.session.End;
import dev.flyball.runner.session.SessionLimits;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One runner from start to stop: the wiring, and the order in which its parts begin and end. */
final class LiveRunner implements RunnerCallbacks {
  private static final Logger log = LoggerFactory.getLogger(LiveRunner.class);

  /** How long sessions get to end at shutdown, besides their grace; service managers wait 15 s. */
  private static final Duration LAST_WAIT = Duration.ofSeconds(6);

  private static final Duration CHECK_EVERY = Duration.ofSeconds(5);

  private final RunnerConfig config;
  private final RunnerHost host;
  private final Telemetry telemetry;
  private final InstantSource clock = InstantSource.system();
  private final SessionPublisher events;
  private final GateKeeper gate;
  private final FaultKeeper faults;

  private final Self self;
  private final LedgerLoop ledger;

  /** Each profile's sessions, by its name; written by the constructor alone. */
  private final Map<String, Sessions> sessions = new HashMap<>();

  private final Watchdog watchdog;
  private final SourceWorkplaces workplaces;
  private final ProcessMonitor monitor;

  /** Runs what happens before the first claim, so that health already answers; then it watches. */
  private final Thread boot =
      Thread.ofPlatform().daemon().name("flyball-boot").unstarted(this::boot);

  // Written by that thread, read by health.
  private volatile @Nullable String failed;

  private final LiveTrees trees = new LiveTrees();
  private final CompletableFuture<Void> hurry = new CompletableFuture<>();

  LiveRunner(
      RunnerConfig config,
      RunnerHost host,
      KafkaClients clients,
      Telemetry telemetry,
      Map<String, String> environment) {
    this.config = config;
    this.host = host;
    this.telemetry = telemetry;
    this.events = new SessionPublisher(clients);
    this.gate =
        new GateKeeper(
            config.gate(),
            config.slots().count(),
            new MachineReadings(),
            trees::hanging,
            System::nanoTime,
            this::gateChanged);
    var elapsed = new ElapsedClock();
    List<Profile> profiles =
        config.agents().profiles().stream().map(each -> Profile.of(each, config)).toList();
    var redactor =
        new Redactor(
            profiles.stream()
                .flatMap(each -> each.agent().secrets(environment, each.variables()).stream())
                .toList());
    this.workplaces =
        new SourceWorkplaces(
            config.agents().repositories(),
            config.dataDir(),
            elapsed,
            clock,
            environment,
            config.agents().confinement().user());
    this.self =
        new Self(
            config.runnerId(),
            host.containment().level().label(),
            config.slots().count(),
            profiles.stream().collect(Collectors.toMap(Profile::name, Profile::reserveMicros)));
    this.faults =
        new FaultKeeper(
            self.reserves().keySet(),
            workplaces::knows,
            trees::hangs,
            elapsed::nanos,
            this::faultChanged);
    LeaseTimes times = config.ledger().times();
    this.ledger = new LedgerLoop(clients, times, config.ledger().seed(), this, elapsed);
    for (Profile each : profiles) {
      Map<String, String> inherited = each.agent().environment(environment, each.variables());
      sessions.put(each.name(), sessions(each, inherited, redactor));
    }
    this.watchdog = new Watchdog(ledger::sessions, elapsed::nanos, times.fenceTick());
    this.monitor = new ProcessMonitor(host, config, gate, trees, events, elapsed::nanos);
    showFigures();
  }

  private Sessions sessions(Profile of, Map<String, String> environment, Redactor redactor) {
    return new Sessions(
        of.agent(),
        host.containment(),
        environment,
        workplaces,
        trees,
        Duration.ofSeconds(1),
        of.limits(),
        events,
        redactor,
        clock,
        host,
        ledger,
        faults);
  }

  /** Does not wait: the sweep and all after it run on another thread, while health answers. */
  void start() {
    boot.start();
  }

  /** The sweep comes first, then the ledger. Afterwards the thread watches processes. */
  private void boot() {
    try {
      monitor.sweep().stream()
          .filter(Sweep.Remains::releasable)
          .map(LiveRunner::predecessors)
          .forEach(ledger::dead);
      workplaces.prepare();
      ledger.start();
      watchdog.start();
      while (true) {
        monitor.check();
        Thread.sleep(CHECK_EVERY);
      }
    } catch (InterruptedException e) {
      log.debug("start interrupted");
    } catch (IOException | RuntimeException | Error e) {
      // Nothing may be claimed before the sweep has ended, and without this thread nothing watches
      // processes.
      log.error("runner did not start", e);
      failed = "start failed: " + e + "; fix it and start the runner again";
      ledger.unusable(failed);
    }
  }

  /**
   * The release of a predecessor's session. No runner saw the session end, but its processes are
   * verified dead: its lease need not wait for another runner to expire it.
   */
  private static LedgerEntry.Release predecessors(Sweep.Remains reaped) {
    return LedgerEntry.Release.of(
        reaped.row().session(),
        Outcome.LOST,
        "its runner ended before it",
        new Receipt(reaped.row().level(), reaped.found(), 0, List.of("KILL"), reaped.left()));
  }

  @Override
  public Self self() {
    return self;
  }

  @Override
  public Gate gate() {
    return gate;
  }

  @Override
  public Declines declines() {
    return faults;
  }

  /** Takes sessions of a further source, in the usual repository. */
  void add(String source) {
    workplaces.add(source);
  }

  Set<String> lastingFaults() {
    return Stream.concat(faults.lasting().stream(), Stream.ofNullable(gate.diskTrouble()))
        .collect(Collectors.toSet());
  }

  Optional<String> overloaded() {
    return gate.overloaded();
  }

  @Override
  public void begin(Session session) {
    faults.began(session);
    Objects.requireNonNull(sessions.get(session.profile())).start(session);
  }

  @Override
  public void deadLetter(ConsumerRecord<String, byte[]> consumed, String reason) {
    telemetry.count(Metric.DEAD_LETTERS);
    events.deadLetter(consumed, reason);
  }

  Health health() {
    String broken = failed;
    if (broken != null) {
      return Health.halted(broken);
    }
    if (!gate.sweepDone()) {
      return Health.starting("sweeping what earlier sessions left");
    }
    Health ofLedger = ledger.health();
    return ofLedger.live()
        ? ofLedger
            .and(trees.health())
            .and(workplaces.health())
            .and(
                LedgerHealth.of(
                    ledger.view().ledger(),
                    BudgetUse.leastReserve(self.reserves()),
                    clock.instant()))
            .and(faults.health())
            .and(gate.health())
        : ofLedger;
  }

  /** The largest number of process trees that lived in this runner at one time. */
  int mostTrees() {
    return trees.most();
  }

  /** Stops claiming, lets sessions drain, ends the others, and waits for all of it. */
  void stop() {
    boot.interrupt();
    try {
      // It must not start other parts after those were stopped.
      boot.join(Duration.ofSeconds(12));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ledger.drain(Duration.ofSeconds(2));
    awaitSessions(config.slots().drain(), hurry);
    for (Session handle : ledger.sessions().values()) {
      handle.stop(End.of(End.Cause.INTERRUPTED, "runner shutdown"));
    }
    awaitSessions(config.session().grace().plus(LAST_WAIT), new CompletableFuture<>());
    long left = ledger.sessions().values().stream().filter(each -> !end(each).isDone()).count();
    if (left > 0) {
      log.warn("sessions did not end in time, their leases will expire: sessions={}", left);
    }
    watchdog.close();
    ledger.stop();
    events.close();
    host.close();
  }

  /** Interrupts the sessions that drain, from now on. */
  void endDrain() {
    hurry.complete(null);
  }

  private void awaitSessions(Duration limit, CompletableFuture<Void> unless) {
    CompletableFuture<Void> ended =
        CompletableFuture.allOf(
            ledger.sessions().values().stream()
                .map(this::end)
                .toArray(CompletableFuture<?>[]::new));
    try {
      var _ = CompletableFuture.anyOf(ended, unless).get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      log.debug("sessions still live at the end of the drain: limit={}", limit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A ledger that cannot be read never shows an end; then a release that was sent is enough. */
  private CompletableFuture<Void> end(Session session) {
    return ledger.readable() ? session.whenClosed() : session.whenReported();
  }

  private void gateChanged(Optional<String> refusing) {
    log.info(
        "gate: state={} reason={}",
        refusing.isPresent() ? "refuses" : "open",
        refusing.orElse("-"));
    gateEvent(refusing.isPresent(), refusing.orElse(null));
  }

  private void faultChanged(boolean declined, String text) {
    log.warn("runner fault: state={} reason={}", declined ? "declines" : "over", text);
    gateEvent(declined, text);
  }

  private void gateEvent(boolean refused, @Nullable String reason) {
    events.offer(
        new LifecycleEvent(
            UUID.randomUUID().toString(),
            refused ? EventType.GATE_REFUSED : EventType.GATE_ACCEPTED,
            "/runner/" + config.runnerId(),
            "-",
            clock.instant(),
            EventData.EMPTY.with(Field.REASON, reason).with(Field.RUNNER, config.runnerId())));
  }

  /** Shows its metrics, each read from the part that owns its value whenever it is scraped. */
  private void showFigures() {
    telemetry.count(Metric.DEAD_LETTERS, 0);
    telemetry.gauge(Metric.SESSIONS_LIVE, () -> ledger.view().ledger().live());
    telemetry.gauge(Metric.SESSIONS_CAP, () -> ledger.view().ledger().cap());
    telemetry.gauge(Metric.RUNNER_SESSIONS, () -> ledger.sessions().size());
    telemetry.gauge(Metric.RENEWAL_AGE, () -> seconds(ledger.ages().renewal()));
    telemetry.gauge(Metric.LEDGER_READ_AGE, () -> seconds(ledger.ages().read()));
    telemetry.gauge(Metric.LEDGER_REFUSED_APPENDS, ledger::refusedAppends);
    telemetry.gauge(Metric.DEAD_LETTERS_LOST, events::lostLetters);
    telemetry.gauge(Metric.RUNNER_PROCESSES, trees::processes);
    telemetry.gauge(Metric.SURVIVORS, trees::survivors);
    telemetry.gauge(Metric.STRAYS, gate::strays);
    telemetry.gauge(Metric.SPAWNS, monitor::spawnsLastHour);
    telemetry.gauge(Metric.MEMORY_GROWTH, monitor::memoryGrowth);
    telemetry.gauge(Metric.RUNNER_CONTAINMENT, () -> 1, self.level());
    telemetry.gauge(Metric.RUNNER_SLOTS, gate::usableSlots);
    telemetry.gauge(Metric.RUNNER_ACCEPTS, () -> gate.open() && faults.accepts() ? 1 : 0);
    telemetry.gauge(Metric.LEDGER_OFFSET, () -> ledger.view().ledger().offset());
    telemetry.counter(Metric.LEDGER_ENTRIES, ledger::folded);
    telemetry.counter(Metric.RENEWAL_FAILURES, ledger::failedRenewals);
  }

  private static double seconds(Duration age) {
    return age.toMillis() / 1000.0;
  }

  /**
   * A profile as this runner runs it.
   *
   * @param variables names of the environment variables that it inherits by configuration
   * @param limits of each of its sessions
   */
  private record Profile(String name, Agent agent, List<String> variables, SessionLimits limits) {

    static Profile of(AgentProfile profile, RunnerConfig config) {
      RunnerConfig.Agents agents = config.agents();
      SessionLimits limits = config.session().with(profile.bounds());
      return new Profile(
          profile.name(),
          profile.session(agents.prompt(), List.of(config.dataDir()), limits.budgetMicros()),
          Stream.concat(agents.env().stream(), profile.env().stream()).toList(),
          limits);
    }

    /** What a claim of it holds back, in micro-dollars. */
    long reserveMicros() {
      return agent.is(Agent.Trait.PAID) ? limits.budgetMicros() : 0;
    }
  }
}
