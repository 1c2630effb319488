package dev.flyball.producer;

import dev.flyball.contract.command.Command;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.producer.publish.KnownStore;
import dev.flyball.producer.publish.LeasedCursor;
import dev.flyball.producer.publish.OutstandingReader;
import dev.flyball.producer.publish.OwnerFile;
import dev.flyball.producer.publish.PollCommands;
import dev.flyball.producer.publish.PollStateReader;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The producer between its start and its stop: owns and connects everything that is open, Kafka
 * clients, local files and the polled sources.
 */
final class RunningProducer {
  static final String OWNER = "producer-id";
  private static final Logger LOG = LoggerFactory.getLogger(RunningProducer.class);
  private static final double NANOS_PER_SECOND = 1e9;
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  /**
   * How often poll-state is read while no poll needs it, so that unreadable records there are
   * reported soon.
   */
  private static final Duration LOOK = Duration.ofSeconds(5);

  /** The configuration for new sources; guarded by the app's monitor. */
  private ProducerConfig config;

  private final KafkaClients clients;
  private final PollStateReader states;
  private final PollReporter reporter;
  private final PollCommands commands;
  private final Telemetry telemetry;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final Backlog backlog;

  /**
   * The clocks of the start, for every source: they belong to the leases, which outlive a change of
   * the configuration.
   */
  private final PollClocks clocks;

  private final KnownStore store;
  private final OwnerFile owner;
  private final OutstandingReader outstanding;
  private final BiFunction<SourceConfig, InstantSource, Source> opener;

  /** The polled sources; replaced under the app's monitor, read by renewals, health and polls. */
  private volatile Map<String, PolledSource> sources = Map.of();

  /** When polls of a tracker are paused; replaced under the app's monitor, read by mirrors. */
  private volatile BreakerLimits limits;

  /** Removed sources whose last poll may still run; their leases are still renewed. */
  private final Set<PolledSource> ending = ConcurrentHashMap.newKeySet();

  /** Whether sources are polled at their intervals; written once, before anything runs. */
  private boolean byItself;

  /** How often operators' commands are read; a command waits for its poll about as long. */
  private static final Duration LISTEN = Duration.ofSeconds(1);

  /** Reads poll-state and commands, each of which may wait for an absent broker. */
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
    this.nanos = nanos;
    this.opener = opener;
    this.store = KnownStore.open(config.data().resolve(ProducerApp.STORE));
    this.owner = new OwnerFile(config.data().resolve(OWNER));
    this.clients = new KafkaClients(kafka, "producer");
    this.reporter = new PollReporter(clients, owner.current(), clock, store, telemetry);
    this.states = new PollStateReader(clients, reporter::unreadable);
    this.outstanding = new OutstandingReader(clients);
    this.backlog = new Backlog(config.backlog(), outstanding::sizes);
    telemetry.count(Metric.DEAD_LETTERS, 0);
    this.commands = new PollCommands(clients, this::obey);
    var opened = new LinkedHashMap<String, PolledSource>();
    config.sources().forEach(source -> opened.put(source.key(), open(config, source)));
    this.sources = opened;
    backlog.share(opened.keySet());
  }

  /** Opens a source that this process did not poll before. */
  private PolledSource open(ProducerConfig by, SourceConfig source) {
    String key = source.key();
    var cursor = new LeasedCursor(clients, key, states, owner, clocks, nanos);
    var renewer = new LeaseRenewer(key, cursor, clocks.beat());
    telemetry.count(Metric.POLL_TAKEOVERS, 0, key);
    show(Metric.POLL_BEAT_AGE, key, () -> seconds(cursor.silence()));
    telemetry.counter(Metric.POLL_BEAT_FAILURES, renewer::failures, key);
    var _ = reporter.sinceSuccess(key); // where none is known, the age counts from now
    show(Metric.POLL_SUCCESS_AGE, key, () -> seconds(reporter.sinceSuccess(key)));
    GuardedSource guarded = guarded(by, source, new Breaker(key, null, nanos));
    guarded.breaker().limit(limits(by, source));
    var due = new Due(nanos);
    return new PolledSource(guarded, cursor, renewer, store, outstanding, due, backlog);
  }

  private GuardedSource guarded(ProducerConfig by, SourceConfig source, Breaker breaker) {
    Source opened = opener.apply(source, clock);
    if (limits(by, source) != null) {
      show(Metric.BREAKER_STATE, source.key(), () -> breaker.state().figure());
    }
    var snapshots =
        new Snapshots(by.textLimit(), by.fingerprintFields(), source.rules()).readBy(source.key());
    return new GuardedSource(source, opened, snapshots, breaker, reporter);
  }

  /** The breaker's limits of a source; null for a file, which may always be read. */
  private static @Nullable BreakerLimits limits(ProducerConfig by, SourceConfig source) {
    return source instanceof SourceConfig.Jsonl ? null : by.breaker();
  }

  /** Registers a gauge of a source; it is 0 once the source is no longer configured. */
  private void show(Metric metric, String source, DoubleSupplier value) {
    telemetry.gauge(metric, () -> sources.containsKey(source) ? value.getAsDouble() : 0, source);
  }

  private static double seconds(Duration time) {
    return time.toNanos() / NANOS_PER_SECOND;
  }

  /** Why polls of a tracker are paused now, whichever process polls it. */
  Supplier<Optional<String>> pauses(String source) {
    return Breaker.mirror(source, () -> states.read(source), () -> limits, clock, nanos);
  }

  /**
   * Begins to renew leases, and to poll.
   *
   * @param itself whether sources are polled at their intervals
   */
  void begin(boolean itself) {
    byItself = itself;
    sources.values().forEach(source -> begin(source, null));
    every(LOOK, states::readOn);
    if (itself) {
      every(LISTEN, commands::readOn);
    }
  }

  private void obey(String key, Command.Poll command) {
    PolledSource source = sources.get(key);
    if (source != null) {
      source.obey(command);
    }
  }

  private void begin(PolledSource source, @Nullable PolledSource before) {
    source.renewer().start();
    if (byItself) {
      source.begin(before);
    }
  }

  /**
   * Applies another configuration from now on. Running polls end with the one they began with, and
   * unchanged sources go on undisturbed. Everything that may fail is opened first: a failure leaves
   * everything as it was.
   *
   * @throws RuntimeException if a source cannot be opened
   */
  SourceChanges reconfigure(ProducerConfig next) {
    ending.removeIf(PolledSource::ended);
    SourceChanges changes = SourceChanges.between(config, next);
    var polled = new LinkedHashMap<String, PolledSource>();
    var other = new LinkedHashMap<PolledSource, GuardedSource>();
    for (SourceConfig source : next.sources()) {
      PolledSource before = sources.get(source.key());
      polled.put(source.key(), before == null ? open(next, source) : before);
      if (before != null && changes.changed().contains(source)) {
        other.put(before, guarded(next, source, before.breaker()));
      }
    }
    other.forEach((source, by) -> {
      by.breaker().limit(limits(next, by.config()));
      source.change(by);
    });
    changes.added().forEach(source -> begin(of(polled, source.key()), stillEnding(source.key())));
    for (String key : changes.removed()) {
      PolledSource removed = of(sources, key);
      ending.add(removed);
      removed.remove();
      reporter.forget(key);
    }
    sources = polled;
    backlog.share(polled.keySet());
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
                LOG.warn("poll-state or commands: {}", e.getMessage());
              }
            },
            time.toNanos(),
            time.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  /** Polls part after part, until the list's end or until its tracker asks for a pause. */
  PollReport poll(String source) {
    PolledSource polled = polled(source);
    PollReport report = polled.poll();
    while (report instanceof PollReport.Finished part
        && part.more()
        && !polled.breaker().left().isPositive()) {
      report = part.and(polled.poll());
    }
    return report;
  }

  /** A configured source. */
  PolledSource polled(String source) {
    PolledSource polled = sources.get(source);
    if (polled == null) {
      throw new IllegalArgumentException(
          "no source '" + source + "'; configured are " + sources.keySet());
    }
    return polled;
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
    commands.close();
    reporter.close();
    states.close();
    outstanding.close();
    store.close();
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
        (key, source) -> source.breaker().suspended().ifPresent(it -> reasons.put(key, it)));
    var conditions = new ArrayList<Health.Condition>();
    reasons.forEach((source, it) -> conditions.add(condition("polls", source, it)));
    for (PolledSource source : sources.values()) {
      source
          .renewer()
          .trouble()
          .ifPresent(it -> conditions.add(condition("poll-lease", source.key(), it)));
    }
    return health.and(Health.degraded(conditions));
  }

  private static Health.Condition condition(String code, String source, String reason) {
    return new Health.Condition(code, source, "source " + source + ": " + reason);
  }
}
