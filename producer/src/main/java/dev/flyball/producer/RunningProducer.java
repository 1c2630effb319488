package dev.flyball.producer;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.history.OwnerFile;
import dev.flyball.producer.history.PollHistory;
import dev.flyball.producer.publish.LeasedCursor;
import dev.flyball.producer.publish.PollEventPublisher;
import dev.flyball.producer.publish.PollStateReader;
import dev.flyball.producer.source.SourceConfig;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The producer between its start and its stop: everything that is open, wired. */
final class RunningProducer {
  static final String HISTORY = "producer.db";
  static final String OWNER = "producer-id";
  private static final Logger LOG = LoggerFactory.getLogger(RunningProducer.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  /** How often poll-state is read while nobody needs it: what is unreadable there is told soon. */
  private static final Duration LOOK = Duration.ofSeconds(5);

  private final ProducerConfig config;
  private final PollHistory history;
  private final PollStateReader states;
  private final PollEventPublisher events;
  private final PollReporter reporter;
  private final Map<String, PollLoop> loops = new LinkedHashMap<>();
  private final List<LeasedCursor> cursors = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final ScheduledExecutorService beats =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("producer-beat").factory());

  RunningProducer(
      ProducerConfig config,
      KafkaSettings kafka,
      Telemetry telemetry,
      InstantSource clock,
      LongSupplier nanos) {
    this.config = config;
    this.history = PollHistory.open(config.data().resolve(HISTORY));
    var owner = new OwnerFile(config.data().resolve(OWNER));
    var clients = new KafkaClients(kafka, "producer");
    this.events = new PollEventPublisher(clients, owner.current(), clock);
    this.states =
        new PollStateReader(
            clients,
            (record, reason) -> {
              telemetry.count(Metric.DEAD_LETTERS);
              events.deadLetter(record, reason);
            });
    this.reporter = new PollReporter(clock, events, history, telemetry);
    for (SourceConfig source : config.sources()) {
      var snapshots = new Snapshots(config.textLimit(), config.fingerprintFields(), source.rules());
      var cursor =
          new LeasedCursor(clients, source.key(), states, owner, config.pollLease(), nanos);
      var poller =
          new SourcePoller(
              source.key(), Sources.open(source, clock), snapshots, cursor, history, reporter);
      cursors.add(cursor);
      loops.put(source.key(), new PollLoop(source, poller, cursor, reporter));
    }
  }

  /**
   * Begins to beat, and to poll.
   *
   * @param byItself whether intervals count
   */
  void begin(boolean byItself) {
    if (byItself) {
      loops.forEach((key, loop) -> threads.add(Thread.ofVirtual().name("poll-" + key).start(loop)));
    }
    every(config.pollBeat(), () -> cursors.forEach(LeasedCursor::beat));
    every(LOOK, states::readOn);
  }

  /** An executor forgets work that throws, and a lease without beats is another producer's. */
  private void every(Duration time, Runnable work) {
    var _ =
        beats.scheduleWithFixedDelay(
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

  PollReport poll(String source) {
    PollLoop loop = loops.get(source);
    if (loop == null) {
      throw new IllegalArgumentException(
          "no source '" + source + "'; configured are " + loops.keySet());
    }
    return loop.poller().poll();
  }

  /**
   * Waits for a poll and a beat in progress: a transaction is short, and an interrupted one would
   * leave its producer unusable for giving the lease back.
   */
  void end() {
    loops.values().forEach(PollLoop::stop);
    beats.shutdown();
    try {
      for (Thread thread : threads) {
        thread.join(STOP_LIMIT);
      }
      if (!beats.awaitTermination(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        LOG.warn("a beat did not end within {}s", STOP_LIMIT.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    cursors.forEach(LeasedCursor::close);
    events.close();
    states.close();
    history.close();
  }

  Health health() {
    Health health = Health.healthy();
    for (var loop : loops.entrySet()) {
      if (!threads.isEmpty() && !loop.getValue().ready()) {
        health =
            health.and(Health.starting("source " + loop.getKey() + ": poll-state is not read yet"));
      }
    }
    for (var failing : reporter.failing().entrySet()) {
      health =
          health.and(Health.degraded("source " + failing.getKey() + ": " + failing.getValue()));
    }
    return health;
  }
}
