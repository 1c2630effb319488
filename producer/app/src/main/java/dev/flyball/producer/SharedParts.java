package dev.flyball.producer;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.Breaker;
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
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.BiFunction;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * What the polled sources of a process share, open from its start to its stop: Kafka clients, local
 * files, the clocks of leases. Opens a source with its share of them.
 */
final class SharedParts implements AutoCloseable {
  private static final double NANOS_PER_SECOND = 1e9;

  final KafkaClients clients;
  final PollStateReader states;
  final PollEventPublisher events;
  final PollReporter reporter;
  final Telemetry telemetry;
  final InstantSource clock;
  final LongSupplier nanos;
  final Backlog backlog;

  /**
   * The clocks of the start, for every source: they belong to the leases, which outlive a change of
   * the configuration.
   */
  private final PollClocks clocks;

  private final PollHistory history;
  private final OwnerFile owner;
  private final OutstandingReader outstanding;
  private final BiFunction<SourceConfig, InstantSource, Source> opener;

  SharedParts(
      ProducerConfig config,
      KafkaSettings kafka,
      Telemetry telemetry,
      InstantSource clock,
      LongSupplier nanos,
      BiFunction<SourceConfig, InstantSource, Source> opener) {
    this.clocks = config.clocks();
    this.telemetry = telemetry;
    this.clock = clock;
    this.nanos = nanos;
    this.opener = opener;
    this.history = PollHistory.open(config.data().resolve(ProducerApp.HISTORY));
    this.owner = new OwnerFile(config.data().resolve(RunningProducer.OWNER));
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
    telemetry.count(Metric.DEAD_LETTERS, 0);
    this.reporter = new PollReporter(clock, events, history, telemetry);
  }

  /**
   * Opens a source that this process did not poll before.
   *
   * @param polled whether a source is configured now; the gauges of others are 0
   */
  PolledSource open(ProducerConfig config, SourceConfig source, Predicate<String> polled) {
    var cursor = new LeasedCursor(clients, source.key(), states, owner, clocks, nanos);
    var poller =
        new SourcePoller(
            guarded(config, source, polled),
            snapshots(config, source),
            cursor,
            history,
            outstanding,
            reporter);
    var renewer = new LeaseRenewer(source.key(), cursor, clocks.beat());
    telemetry.count(Metric.POLL_TAKEOVERS, 0, source.key());
    show(Metric.POLL_BEAT_AGE, source, polled, () -> seconds(renewer.age()));
    telemetry.counter(Metric.POLL_BEAT_FAILURES, renewer::failures, source.key());
    var _ = reporter.sinceSuccess(source.key()); // where none is known, the age counts from now
    show(
        Metric.POLL_SUCCESS_AGE,
        source,
        polled,
        () -> seconds(reporter.sinceSuccess(source.key())));
    var due = new Due(Due.turn(source, config.sources()), nanos);
    var loop = new PollLoop(source, poller, cursor, reporter, due, backlog);
    return new PolledSource(source, cursor, renewer, poller, loop);
  }

  private static Snapshots snapshots(ProducerConfig config, SourceConfig source) {
    return new Snapshots(config.textLimit(), config.fingerprintFields(), source.rules())
        .readBy(source.key());
  }

  private GuardedSource guarded(
      ProducerConfig config, SourceConfig source, Predicate<String> polled) {
    Breaker breaker =
        source instanceof SourceConfig.Jsonl
            ? Breaker.NONE
            : new TrackerBreaker(source.key(), config.breaker(), nanos);
    Source opened = opener.apply(source, clock);
    if (breaker.counts()) {
      show(Metric.BREAKER_STATE, source, polled, () -> breaker.state().figure());
    }
    return new GuardedSource(source.key(), source.interval(), opened, breaker, reporter);
  }

  /** Registers a gauge of a source; it is 0 once the source is no longer configured. */
  private void show(
      Metric metric, SourceConfig source, Predicate<String> polled, DoubleSupplier value) {
    String key = source.key();
    telemetry.gauge(metric, () -> polled.test(key) ? value.getAsDouble() : 0, key);
  }

  private static double seconds(Duration time) {
    return time.toNanos() / NANOS_PER_SECOND;
  }

  /** The same source by a changed configuration, with the lease and the cursor that it has. */
  PolledSource changed(
      PolledSource before, ProducerConfig config, SourceConfig source, Predicate<String> polled) {
    return before.changed(source, guarded(config, source, polled), snapshots(config, source));
  }

  @Override
  public void close() {
    events.close();
    states.close();
    outstanding.close();
    history.close();
  }
}
