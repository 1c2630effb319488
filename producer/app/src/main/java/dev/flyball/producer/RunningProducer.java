package dev.flyball.producer;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.breaker.BreakerMirror;
import dev.flyball.producer.breaker.TrackerBreaker;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.history.OwnerFile;
import dev.flyball.producer.history.PollHistory;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.producer.publish.LeasedCursor;
import dev.flyball.producer.publish.OutstandingReader;
import dev.flyball.producer.publish.PollEventPublisher;
import dev.flyball.producer.publish.PollStateReader;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.WriteBack;
import dev.flyball.writeback.Deliveries;
import dev.flyball.writeback.DeliveryPace;
import dev.flyball.writeback.FirstStarts;
import dev.flyball.writeback.WriteBacks;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The producer between its start and its stop: owns and connects everything that is open. */
final class RunningProducer {
  static final String OWNER = "producer-id";
  private static final Logger LOG = LoggerFactory.getLogger(RunningProducer.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  private static final double NANOS_PER_SECOND = 1e9;

  /** How often the supervisor checks that each lease has a renewing thread. */
  private static final Duration SUPERVISION = Duration.ofSeconds(1);

  /**
   * How often poll-state is read while no poll needs it, so that unreadable records there are
   * reported soon.
   */
  private static final Duration LOOK = Duration.ofSeconds(5);

  /** The configuration for new sources; guarded by the app's monitor. */
  private ProducerConfig config;

  private final Telemetry telemetry;

  /**
   * The clocks of the start, for every source: they belong to the leases, which outlive a change of
   * the configuration.
   */
  private final PollClocks clocks;

  private final PollHistory history;
  private final PollStateReader states;
  private final OutstandingReader outstanding;
  private final Backlog backlog;
  private final PollEventPublisher events;
  private final PollReporter reporter;
  private final OwnerFile owner;
  private final KafkaClients clients;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final BiFunction<SourceConfig, InstantSource, Source> opener;

  private final WriteBacks writeBacks;

  /** The polled sources; replaced under the app's monitor, read by renewals, health and polls. */
  private volatile Map<String, PolledSource> sources = Map.of();

  /** When polls of a tracker are paused; replaced under the app's monitor, read by write-backs. */
  private volatile BreakerLimits limits;

  /** Removed sources whose last poll may still run; their leases are still renewed. */
  private final Set<PolledSource> ending = ConcurrentHashMap.newKeySet();

  /** Whether sources are polled at their intervals; written once, before anything runs. */
  private boolean byItself;

  /**
   * Two threads: reading poll-state waits for an absent broker, the supervision of leases must not.
   */
  private final ScheduledExecutorService chores =
      Executors.newScheduledThreadPool(
          2, Thread.ofPlatform().daemon().name("producer-chores-", 0).factory());

  RunningProducer(
      ProducerConfig config,
      KafkaSettings kafka,
      Telemetry telemetry,
      InstantSource clock,
      LongSupplier nanos,
      BiFunction<SourceConfig, InstantSource, Source> opener) {
    this.config = config;
    this.limits = config.breaker();
    this.clocks = config.clocks();
    this.telemetry = telemetry;
    this.clock = clock;
    this.opener = opener;
    this.nanos = nanos;
    this.history = PollHistory.open(config.data().resolve(ProducerApp.HISTORY));
    this.owner = new OwnerFile(config.data().resolve(OWNER));
    this.clients = new KafkaClients(kafka, "producer");
    this.events = new PollEventPublisher(clients, owner.current(), clock);
    this.states =
        new PollStateReader(
            clients,
            (record, reason) -> {
              telemetry.count(Metric.DEAD_LETTERS);
              events.deadLetter(record, reason);
            });
    this.outstanding = new OutstandingReader(clients);
    this.backlog = Backlog.of(config.backlog(), outstanding);
    this.reporter = new PollReporter(clock, events, history, telemetry);
    var opened = new LinkedHashMap<String, PolledSource>();
    config.sources().forEach(source -> opened.put(source.key(), open(config, source)));
    this.sources = opened;
    this.writeBacks =
        new WriteBacks(
            clients,
            new FirstStarts(config.data().resolve("write-back"), clock),
            events.deadLetters(),
            telemetry,
            this::pace,
            source -> Deliveries.open(source, clock));
  }

  /**
   * The pace of a source's write-backs. A webhook is not a tracker, so no breaker applies to it.
   */
  private DeliveryPace pace(SourceConfig source) {
    String key = source.key();
    return new DeliveryPace(
        nanos,
        source.rules().writeBack() instanceof WriteBack.Comment
            ? new BreakerMirror(key, () -> states.read(key), () -> limits, clock, nanos)
            : Optional::empty);
  }

  private PolledSource open(ProducerConfig config, SourceConfig source) {
    var cursor = new LeasedCursor(clients, source.key(), states, owner, clocks, nanos);
    var poller =
        new SourcePoller(
            guarded(config, source),
            snapshots(config, source),
            cursor,
            history,
            outstanding,
            reporter);
    var renewer = new LeaseRenewer(source.key(), cursor, clocks.beat());
    show(Metric.POLL_BEAT_AGE, source, () -> seconds(renewer.age()));
    // Where no success is known, the age counts from now.
    var _ = reporter.sinceSuccess(source.key());
    show(Metric.POLL_SUCCESS_AGE, source, () -> seconds(reporter.sinceSuccess(source.key())));
    var loop = new PollLoop(source, poller, cursor, reporter, nanos, backlog);
    return new PolledSource(source, cursor, renewer, poller, loop);
  }

  private static Snapshots snapshots(ProducerConfig config, SourceConfig source) {
    return new Snapshots(config.textLimit(), config.fingerprintFields(), source.rules());
  }

  private GuardedSource guarded(ProducerConfig config, SourceConfig source) {
    Breaker breaker =
        source instanceof SourceConfig.Jsonl
            ? Breaker.NONE
            : new TrackerBreaker(source.key(), config.breaker(), nanos);
    Source opened = opener.apply(source, clock);
    if (breaker.counts()) {
      show(Metric.BREAKER_STATE, source, () -> breaker.state().figure());
    }
    return new GuardedSource(source.key(), opened, breaker, reporter);
  }

  /** Registers a gauge of a source; it is 0 once the source is no longer configured. */
  private void show(Metric metric, SourceConfig source, DoubleSupplier value) {
    String key = source.key();
    telemetry.gauge(metric, () -> sources.containsKey(key) ? value.getAsDouble() : 0, key);
  }

  private static double seconds(Duration time) {
    return time.toNanos() / NANOS_PER_SECOND;
  }

  /**
   * Begins to renew leases, and to poll.
   *
   * @param itself whether sources are polled at their intervals
   */
  void begin(boolean itself) {
    byItself = itself;
    startWriteBacks(config);
    sources.values().forEach(source -> begin(source, null));
    every(SUPERVISION, this::supervise);
    every(LOOK, states::readOn);
  }

  /**
   * Starts write-backs in a service only: a producer that polls once does not wait for a tracker.
   */
  private void startWriteBacks(ProducerConfig config) {
    if (byItself) {
      writeBacks.apply(config.sources());
    }
  }

  private void begin(PolledSource source, @Nullable PolledSource before) {
    source.renewer().keep();
    if (byItself) {
      source.begin(before);
    }
  }

  private void supervise() {
    ending.removeIf(PolledSource::ended);
    sources.values().forEach(source -> source.renewer().keep());
    ending.forEach(source -> source.renewer().keep());
  }

  /**
   * Applies another configuration from now on. Running polls end with the one they began with, and
   * unchanged sources go on undisturbed. Everything that may fail is opened first: a failure leaves
   * everything as it was.
   *
   * @throws RuntimeException if a source cannot be opened
   */
  SourceChanges reconfigure(ProducerConfig next) {
    SourceChanges changes = SourceChanges.between(config, next);
    var polled = new LinkedHashMap<String, PolledSource>();
    for (SourceConfig source : next.sources()) {
      PolledSource before = sources.get(source.key());
      if (before == null) {
        polled.put(source.key(), open(next, source));
      } else if (changes.changed().contains(source)) {
        polled.put(
            source.key(), before.changed(source, guarded(next, source), snapshots(next, source)));
      } else {
        polled.put(source.key(), before);
      }
    }
    startWriteBacks(next);
    Map<String, PolledSource> until = sources;
    changes.changed().forEach(source -> of(until, source.key()).stop());
    changes.changed().forEach(source -> begin(of(polled, source.key()), until.get(source.key())));
    changes.added().forEach(source -> begin(of(polled, source.key()), stillEnding(source.key())));
    for (String key : changes.removed()) {
      PolledSource removed = of(until, key);
      ending.add(removed);
      removed.remove();
      reporter.forget(key);
    }
    sources = polled;
    config = next;
    limits = next.breaker();
    return changes;
  }

  private static PolledSource of(Map<String, PolledSource> sources, String key) {
    return Objects.requireNonNull(sources.get(key));
  }

  /** The source that was removed under this key and may still poll; null if there is none. */
  private @Nullable PolledSource stillEnding(String key) {
    return ending.stream()
        .filter(source -> source.key().equals(key) && !source.ended())
        .findAny()
        .orElse(null);
  }

  /** Repeats work and logs what it throws: an executor stops repeating work that throws. */
  private void every(Duration time, Runnable work) {
    var _ =
        chores.scheduleWithFixedDelay(
            () -> {
              try {
                work.run();
              } catch (RuntimeException e) {
                LOG.warn("poll-state: {}", e.getMessage());
              }
            },
            time.toNanos(),
            time.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  /** Polls part after part, until the list's end or until its tracker asks for a pause. */
  PollReport poll(String source) {
    SourcePoller poller = poller(source);
    PollReport report = poller.poll();
    while (report instanceof PollReport.Finished part
        && part.more()
        && !poller.left().isPositive()) {
      report = part.and(poller.poll());
    }
    return report;
  }

  /** The poller of a configured source. */
  SourcePoller poller(String source) {
    PolledSource polled = sources.get(source);
    if (polled == null) {
      throw new IllegalArgumentException(
          "no source '" + source + "'; configured are " + sources.keySet());
    }
    return polled.poller();
  }

  /** Permits no further request to a tracker, for good. */
  void cease() {
    sources.values().forEach(source -> source.cursor().permission().stop());
  }

  /**
   * Ends everything. It waits for a poll and a lease renewal in progress: a transaction is short,
   * and an interrupted one would make its producer unusable for giving the lease back.
   */
  void end() {
    var all = new ArrayList<PolledSource>(sources.values());
    all.addAll(ending);
    all.forEach(PolledSource::stop);
    all.forEach(source -> source.cursor().permission().stop());
    chores.shutdown();
    try {
      for (PolledSource source : all) {
        source.await(STOP_LIMIT);
      }
      all.forEach(source -> source.renewer().stop());
      writeBacks.end(STOP_LIMIT);
      for (PolledSource source : all) {
        if (!source.renewer().await(STOP_LIMIT)) {
          LOG.warn(
              "lease renewal of {} did not end within {}s", source.key(), STOP_LIMIT.toSeconds());
        }
      }
      var _ = chores.awaitTermination(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    all.forEach(source -> source.cursor().close());
    events.close();
    states.close();
    outstanding.close();
    history.close();
  }

  Health health() {
    Health health = Health.healthy();
    for (PolledSource source : sources.values()) {
      if (!source.ready()) {
        health =
            health.and(Health.starting("source " + source.key() + ": poll-state is not read yet"));
      }
    }
    var reasons = new TreeMap<>(reporter.failing());
    sources.forEach(
        (key, source) -> source.poller().suspended().ifPresent(it -> reasons.put(key, it)));
    for (var reason : reasons.entrySet()) {
      health = health.and(Health.degraded("source " + reason.getKey() + ": " + reason.getValue()));
    }
    for (PolledSource source : sources.values()) {
      Optional<String> trouble = source.renewer().trouble();
      if (trouble.isPresent()) {
        health = health.and(Health.degraded("source " + source.key() + ": " + trouble.get()));
      }
    }
    for (var untold : writeBacks.troubles().entrySet()) {
      health = health.and(Health.degraded("source " + untold.getKey() + ": " + untold.getValue()));
    }
    return health;
  }
}
