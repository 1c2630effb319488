package dev.flyball.producer;

import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.Sources;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.http.TrackerLimits;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Polls each source at its interval and publishes what changed. The interval counts from the last
 * poll, also after a restart: starting does not trigger a poll. Its topics must exist.
 */
public final class ProducerApp implements Service {
  /** Name of the file in the data folder with what is known to be published. */
  static final String STORE = "producer.db";

  /** The configuration in force; guarded by this object's monitor. */
  private ProducerConfig config;

  private final KafkaSettings kafka;
  private final Telemetry telemetry;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final boolean byItself;
  private final BiFunction<SourceConfig, InstantSource, Source> opener;

  /**
   * What runs between start and stop; written by start and stop under this object's monitor, read
   * by any thread.
   */
  private volatile @Nullable RunningProducer running;

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
    return (config, clock) -> Sources.open(config, clock, limits);
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
    RunningProducer now = running;
    if (now == null) {
      throw new IllegalStateException("the producer is not started");
    }
    return now.poll(source);
  }

  /**
   * What remains of the pause that a source's tracker asked for at its last poll, zero if it is
   * over; empty if the tracker asked for none.
   *
   * @throws IllegalArgumentException if no such source is configured
   */
  public Optional<Duration> pause(String source) {
    RunningProducer now = running;
    return now == null ? Optional.empty() : now.polled(source).pause();
  }

  /**
   * Why polls of a source are paused now, one line, whichever process polls it; empty if they are
   * not. It is for requests beside the polls; one thread uses it.
   *
   * @param source {@code tenant/source}
   * @throws IllegalStateException if not started
   */
  public Supplier<Optional<String>> pauses(String source) {
    RunningProducer now = running;
    if (now == null) {
      throw new IllegalStateException("the producer is not started");
    }
    return now.pauses(source);
  }

  /**
   * Permits no further request to a tracker, for a process that is to end: a poll in progress ends
   * as skipped before its next request, and what it has read before stays published. Any thread.
   */
  public void cease() {
    RunningProducer now = running;
    if (now != null) {
      now.cease();
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
    RunningProducer now = running;
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
    var _ = Sources.open(source, InstantSource.system(), new TrackerLimits());
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
    Source opened = Sources.open(source, InstantSource.system(), new TrackerLimits());
    return TrackerProbe.of(source.key(), opened, at);
  }

  /**
   * What a poll of every source would publish. Needs no broker; reads the local copy of what is
   * published if there is one.
   */
  public static List<DryRun> dryRun(ProducerConfig config) {
    return new DryPoller(config, InstantSource.system(), within(new TrackerLimits())).all();
  }

  /**
   * Begins polling. It starts even without sources, or with a broker that does not answer yet.
   *
   * @throws dev.flyball.ops.telemetry.StartFailure if the data folder cannot be used
   */
  @Override
  public synchronized void start() {
    if (running == null) {
      var next = new RunningProducer(config, kafka, telemetry, clock, nanos, opener);
      next.begin(byItself);
      running = next;
    }
  }

  @Override
  public synchronized void stop() {
    RunningProducer now = running;
    running = null;
    if (now != null) {
      now.end();
    }
  }

  @Override
  public Health health() {
    RunningProducer now = running;
    return now == null ? Health.starting("producer is not started") : now.health();
  }
}
