package dev.flyball.producer;

import dev.flyball.contract.command.Command;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.breaker.BreakerMirror;
import dev.flyball.producer.publish.PollCommands;
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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The producer between its start and its stop: owns and connects everything that is open. */
final class RunningProducer {
  static final String OWNER = "producer-id";
  private static final Logger LOG = LoggerFactory.getLogger(RunningProducer.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  /** How often the supervisor checks that each lease has a renewing thread. */
  private static final Duration SUPERVISION = Duration.ofSeconds(1);

  /**
   * How often poll-state is read while no poll needs it, so that unreadable records there are
   * reported soon.
   */
  private static final Duration LOOK = Duration.ofSeconds(5);

  /** The configuration for new sources; guarded by the app's monitor. */
  private ProducerConfig config;

  private final SharedParts parts;
  private final PollCommands commands;

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

  /**
   * Three threads: reading poll-state and commands waits for an absent broker, the supervision of
   * leases must not.
   */
  private final ScheduledExecutorService chores =
      Executors.newScheduledThreadPool(
          3, Thread.ofPlatform().daemon().name("producer-chores-", 0).factory());

  RunningProducer(
      ProducerConfig config,
      KafkaSettings kafka,
      Telemetry telemetry,
      InstantSource clock,
      LongSupplier nanos,
      BiFunction<SourceConfig, InstantSource, Source> opener) {
    this.config = config;
    this.limits = config.breaker();
    this.parts = new SharedParts(config, kafka, telemetry, clock, nanos, opener);
    this.commands = new PollCommands(parts.clients, this::obey);
    var opened = new LinkedHashMap<String, PolledSource>();
    config
        .sources()
        .forEach(source -> opened.put(source.key(), parts.open(config, source, this::isPolled)));
    this.sources = opened;
    parts.backlog.share(opened.keySet());
  }

  /** Why polls of a tracker are paused now, whichever process polls it. */
  BreakerMirror pauses(String source) {
    return new BreakerMirror(
        source, () -> parts.states.read(source), () -> limits, parts.clock, parts.nanos);
  }

  /**
   * Begins to renew leases, and to poll.
   *
   * @param itself whether sources are polled at their intervals
   */
  void begin(boolean itself) {
    byItself = itself;
    sources.values().forEach(source -> begin(source, null));
    every(SUPERVISION, this::supervise);
    every(LOOK, parts.states::readOn);
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

  private boolean isPolled(String key) {
    return sources.containsKey(key);
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
        polled.put(source.key(), parts.open(next, source, this::isPolled));
      } else if (changes.changed().contains(source)) {
        polled.put(source.key(), parts.changed(before, next, source, this::isPolled));
      } else {
        polled.put(source.key(), before);
      }
    }
    Map<String, PolledSource> until = sources;
    changes.changed().forEach(source -> of(until, source.key()).stop());
    changes.changed().forEach(source -> begin(of(polled, source.key()), until.get(source.key())));
    changes.added().forEach(source -> begin(of(polled, source.key()), stillEnding(source.key())));
    for (String key : changes.removed()) {
      PolledSource removed = of(until, key);
      ending.add(removed);
      removed.remove();
      parts.reporter.forget(key);
    }
    sources = polled;
    parts.backlog.share(polled.keySet());
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
    parts.close();
  }

  Health health() {
    Health health = Health.healthy();
    for (PolledSource source : sources.values()) {
      if (!source.ready()) {
        health =
            health.and(Health.starting("source " + source.key() + ": poll-state is not read yet"));
      }
    }
    var reasons = new TreeMap<>(parts.reporter.failing());
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
    return health;
  }
}
