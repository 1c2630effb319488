package dev.flyball.producer;

import dev.flyball.contract.command.Command;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.lease.LeaseRenewer;
import dev.flyball.producer.publish.KnownStore;
import dev.flyball.producer.publish.LeasedCursor;
import dev.flyball.producer.publish.OutstandingReader;
import dev.flyball.producer.publish.OwnerFile;
import dev.flyball.producer.publish.PollCommands;
import dev.flyball.producer.publish.PollStateReader;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.http.TrackerLimits;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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

/**
 * Polls each source at its interval and publishes what changed. The interval counts from the last
 * poll, also after a restart: starting does not trigger a poll. Its topics must exist.
 */
public final class ProducerApp implements Service {
  /** Name of the file in the data folder with what is known to be published. */
  static final String STORE = "producer.db";

  private static final Logger LOG = LoggerFactory.getLogger(ProducerApp.class);
  private static final String OWNER = "producer-id";
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  /** How often operators' commands are read; a command waits for its poll about as long. */
  private static final Duration LISTEN = Duration.ofSeconds(1);

  /** The configuration in force; guarded by this object's monitor. */
  private ProducerConfig config;

  private final KafkaSettings kafka;
  private final Telemetry telemetry;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final boolean byItself;
  private final BiFunction<SourceConfig, InstantSource, Source> opener;

  /** What runs between start and stop, which write it under this monitor; any thread reads it. */
  private volatile @Nullable Running running;

  /**
   * Nothing is opened before {@link #start}.
   *
   * @param limits of requests to trackers, shared with everything in this process that sends some
   */
  public ProducerApp(
      ProducerConfig config, KafkaSettings kafka, Telemetry telemetry, TrackerLimits limits) {
    this(config, kafka, telemetry, true, within(limits));
  }

  /**
   * With another way to open sources, for tests.
   *
   * @param byItself whether sources are polled at their intervals
   */
  ProducerApp(
      ProducerConfig config,
      KafkaSettings kafka,
      Telemetry telemetry,
      boolean byItself,
      BiFunction<SourceConfig, InstantSource, Source> opener) {
    this.config = config;
    this.kafka = kafka;
    this.telemetry = telemetry;
    this.clock = InstantSource.system();
    this.nanos = new ElapsedClock()::nanos;
    this.byItself = byItself;
    this.opener = opener;
  }

  private static BiFunction<SourceConfig, InstantSource, Source> within(TrackerLimits limits) {
    return (config, clock) -> config.open(clock, limits);
  }

  /**
   * A producer that polls only when {@link #pollNow} is called and ignores intervals. It is for
   * {@code run}, which reports exactly its own poll.
   */
  public static ProducerApp onDemand(
      ProducerConfig config, KafkaSettings kafka, Telemetry telemetry) {
    return new ProducerApp(config, kafka, telemetry, false, within(new TrackerLimits()));
  }

  /**
   * Polls one source now, in the caller's thread, whatever its interval. Skipped while another poll
   * of it runs. A long list is read in several polls, which are reported as one; they end before
   * the list does only where its tracker asks for a pause.
   *
   * @param source {@code tenant/source}, as {@link SourceConfig#key}
   * @throws IllegalArgumentException if no such source is configured
   * @throws IllegalStateException if not started
   */
  public PollReport pollNow(String source) {
    PolledSource polled = running().polled(source);
    PollReport report = polled.poll();
    while (report instanceof PollReport.Finished part
        && part.more()
        && !polled.breaker().left().isPositive()) {
      report = part.and(polled.poll());
    }
    return report;
  }

  /**
   * Polls a source soon, in its thread, because its tracker says that something changed. What holds
   * a poll back still does. Any thread.
   *
   * @return whether it does; empty if no such source is configured or the producer is not started
   */
  public Optional<Boolean> hint(String source) {
    Running now = running;
    return now == null
        ? Optional.empty()
        : Optional.ofNullable(now.sources.get(source)).map(PolledSource::hint);
  }

  private Running running() {
    Running now = running;
    if (now == null) {
      throw new IllegalStateException("the producer is not started");
    }
    return now;
  }

  /**
   * What remains of the pause that a source's tracker asked for at its last poll, zero if it is
   * over; empty if the tracker asked for none.
   *
   * @throws IllegalArgumentException if no such source is configured
   * @throws IllegalStateException if not started
   */
  public Optional<Duration> pause(String source) {
    return running().polled(source).pause();
  }

  /**
   * Permits no further request to a tracker, for a process that is to end: a poll in progress ends
   * as skipped before its next request, and what it has read before stays published. Any thread.
   */
  public void cease() {
    Running now = running;
    if (now != null) {
      now.sources.values().forEach(source -> source.cursor().permission().stop());
    }
  }

  /**
   * Applies another configuration from now on: its sources, {@code breaker.*}, {@code text.limit}
   * and {@code fingerprint.fields}. Everything else needs a restart and stays as it is.
   *
   * <p>A running poll ends with the configuration that it began with. Unchanged sources go on
   * undisturbed, changed ones keep lease and interval, removed ones give their lease back. Does not
   * wait for running polls.
   */
  public synchronized SourceChanges reconfigure(ProducerConfig next) {
    var whole =
        new ProducerConfig(
            config.data(),
            next.sources(),
            config.clocks(),
            next.breaker(),
            config.backlog(),
            next.textLimit(),
            next.fingerprintFields());
    Running now = running;
    SourceChanges changes =
        now == null ? SourceChanges.between(config, whole) : now.reconfigure(whole);
    config = whole;
    return changes;
  }

  /**
   * Checks a source's configuration with the rules of its type, for example its query. Sends no
   * request.
   *
   * @throws IllegalArgumentException with what is wrong and how to fix it
   */
  public static void check(SourceConfig source) {
    var _ = source.open(InstantSource.system(), new TrackerLimits());
  }

  /**
   * Asks a tracker what changed, with three requests at most; publishes nothing and moves no
   * cursor.
   *
   * @param cursor the committed cursor, as in poll-state; null if there is none
   * @return why it does not answer; empty if it does
   */
  public static Optional<TrackerFailure> ask(SourceConfig source, @Nullable String cursor) {
    String at = PollCursor.parse(cursor).map(PollCursor::at).orElse(null);
    Source opened = source.open(InstantSource.system(), new TrackerLimits());
    return DryRun.ask(source.key(), opened, at);
  }

  /** What a poll of every source would publish. Needs no broker; reads the local copy, if any. */
  public static List<DryRun> dryRun(ProducerConfig config) {
    return DryRun.of(config, InstantSource.system(), within(new TrackerLimits()));
  }

  /**
   * Begins polling. It starts even without sources, or with a broker that does not answer yet.
   *
   * @throws dev.flyball.ops.telemetry.StartFailure if the data folder cannot be used
   */
  @Override
  public synchronized void start() {
    if (running == null) {
      running = new Running();
    }
  }

  @Override
  public synchronized void stop() {
    Running now = running;
    running = null;
    if (now != null) {
      now.end();
    }
  }

  @Override
  public Health health() {
    Running now = running;
    return now == null ? Health.starting("producer is not started") : now.health();
  }

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }

  private static Health.Condition condition(String code, String source, String reason) {
    return new Health.Condition(code, source, "source " + source + ": " + reason);
  }

  /** What is open between start and stop: Kafka clients, local files and the polled sources. */
  private final class Running {
    private final KnownStore store = KnownStore.open(config.data().resolve(STORE));
    private final OwnerFile owner = new OwnerFile(config.data().resolve(OWNER));
    private final KafkaClients clients = new KafkaClients(kafka, "producer");
    private final PollReporter reporter =
        new PollReporter(clients, owner.current(), clock, telemetry);
    private final PollStateReader states = new PollStateReader(clients, reporter::unreadable);
    private final OutstandingReader outstanding = new OutstandingReader(clients);
    private final PollCommands commands = new PollCommands(clients, this::obey);
    private final Backlog backlog = new Backlog(config.backlog(), outstanding::sizes);

    /** The polled sources; replaced under the app's monitor, read by renewals, health and polls. */
    private volatile Map<String, PolledSource> sources = Map.of();

    /** Removed sources whose last poll may still run; their leases are still renewed. */
    private final Set<PolledSource> ending = ConcurrentHashMap.newKeySet();

    /** Reads commands, which may wait for an absent broker. */
    private final ScheduledExecutorService listener =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("producer-commands").factory());

    /** Begins to renew leases and to poll once everything that may fail is open. */
    Running() {
      telemetry.count(Metric.DEAD_LETTERS, 0);
      var opened = new LinkedHashMap<String, PolledSource>();
      config.sources().forEach(source -> opened.put(source.key(), open(config, source)));
      sources = opened;
      backlog.share(opened.keySet());
      opened.values().forEach(source -> begin(source, null));
      if (byItself) {
        var _ =
            listener.scheduleWithFixedDelay(
                this::listen, LISTEN.toNanos(), LISTEN.toNanos(), TimeUnit.NANOSECONDS);
      }
    }

    /** Opens a source that this process did not poll before. */
    private PolledSource open(ProducerConfig by, SourceConfig source) {
      String key = source.key();
      var cursor = new LeasedCursor(clients, key, states, owner, config.clocks(), nanos);
      var renewer = new LeaseRenewer(key, cursor, config.clocks().beat());
      telemetry.count(Metric.POLL_TAKEOVERS, 0, key);
      show(Metric.POLL_BEAT_AGE, key, () -> seconds(cursor.silence()));
      telemetry.counter(Metric.POLL_BEAT_FAILURES, renewer::failures, key);
      var _ = reporter.sinceSuccess(key); // where none is known, the age counts from now
      show(Metric.POLL_SUCCESS_AGE, key, () -> seconds(reporter.sinceSuccess(key)));
      GuardedSource guarded = guarded(by, source, new Breaker(key, null, nanos));
      guarded.breaker().limit(by.breakerOf(source));
      var due = new Due(nanos);
      return new PolledSource(guarded, cursor, renewer, store, outstanding, due, backlog);
    }

    private GuardedSource guarded(ProducerConfig by, SourceConfig source, Breaker breaker) {
      Source opened = opener.apply(source, clock);
      if (by.breakerOf(source) != null) {
        show(Metric.BREAKER_STATE, source.key(), () -> breaker.state().figure());
      }
      var snapshots =
          new Snapshots(by.textLimit(), by.fingerprintFields(), source.rules())
              .readBy(source.key());
      return new GuardedSource(source, opened, snapshots, breaker, reporter);
    }

    /** Registers a gauge of a source; it is 0 once the source is no longer configured. */
    private void show(Metric metric, String source, DoubleSupplier value) {
      telemetry.gauge(metric, () -> sources.containsKey(source) ? value.getAsDouble() : 0, source);
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
     * Applies another configuration from now on. Running polls end with the one they began with,
     * and unchanged sources go on undisturbed. Everything that may fail is opened first: a failure
     * leaves everything as it was.
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
        by.breaker().limit(next.breakerOf(by.config()));
        source.change(by);
      });
      for (SourceConfig source : changes.added()) {
        PolledSource added = Objects.requireNonNull(polled.get(source.key()));
        begin(added, stillEnding(source.key()));
      }
      for (String key : changes.removed()) {
        PolledSource removed = Objects.requireNonNull(sources.get(key));
        ending.add(removed);
        removed.remove();
        reporter.forget(key);
      }
      sources = polled;
      backlog.share(polled.keySet());
      return changes;
    }

    /** The source that was removed under this key and may still poll; null if there is none. */
    private @Nullable PolledSource stillEnding(String key) {
      return ending.stream()
          .filter(source -> source.key().equals(key) && !source.ended())
          .findAny()
          .orElse(null);
    }

    /** An executor stops repeating work that throws. */
    private void listen() {
      try {
        commands.readOn();
      } catch (RuntimeException e) {
        LOG.warn("commands: {}", e.getMessage());
      }
    }

    PolledSource polled(String source) {
      PolledSource polled = sources.get(source);
      if (polled == null) {
        throw new IllegalArgumentException(
            "no source '" + source + "'; configured are " + sources.keySet());
      }
      return polled;
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
      listener.shutdown();
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
        var _ = listener.awaitTermination(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
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
              health.and(
                  Health.starting("source " + source.key() + ": poll-state is not read yet"));
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
  }
}
