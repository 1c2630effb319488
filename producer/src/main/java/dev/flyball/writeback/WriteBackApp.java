package dev.flyball.writeback;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.WriteBack;
import dev.flyball.tracker.http.TrackerLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers analyses to the trackers and webhooks of every source that has write-back, each source
 * in a separate thread. Guarded by its monitor except {@link #health}.
 */
public final class WriteBackApp implements Service {
  private static final Logger LOG = LoggerFactory.getLogger(WriteBackApp.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  private final KafkaClients clients;
  private final FirstStarts beginnings;
  private final Telemetry telemetry;
  private final TrackerLimits limits;
  private final InstantSource clock = InstantSource.system();
  private final LongSupplier nanos = new ElapsedClock()::nanos;

  private List<SourceConfig> sources;

  private boolean started;

  /** Opened for the first source that has write-back. */
  private @Nullable KafkaProducer<String, byte[]> producer;

  /** The running write-backs, by source; replaced as a whole. */
  private volatile Map<String, Running> running = Map.of();

  /**
   * Nothing is opened before {@link #start}.
   *
   * @param data folder of what is kept between starts; made when it is needed
   * @param limits of requests to trackers, shared with the polls: a tracker counts both
   */
  public WriteBackApp(
      Path data,
      List<SourceConfig> sources,
      KafkaSettings kafka,
      Telemetry telemetry,
      TrackerLimits limits) {
    this.clients = new KafkaClients(kafka, "producer");
    this.beginnings = new FirstStarts(data, clock);
    this.sources = List.copyOf(sources);
    this.telemetry = telemetry;
    this.limits = limits;
  }

  @Override
  public synchronized void start() {
    if (!started) {
      Runnable prepared = prepare(sources);
      started = true;
      prepared.run();
    }
  }

  /**
   * Opens what these sources need and changes nothing yet. The returned call applies them:
   * unchanged write-backs go on undisturbed.
   *
   * @throws RuntimeException if one cannot be opened
   */
  public synchronized Runnable prepare(List<SourceConfig> next) {
    var opened = new HashMap<SourceConfig, Delivery>();
    for (SourceConfig source : next) {
      Running before = running.get(source.key());
      boolean goesOn = before != null && before.config().equals(source);
      if (!(source.rules().writeBack() instanceof WriteBack.Off) && !goesOn) {
        opened.put(source, Delivery.open(source, clock, limits));
      }
    }
    if (!opened.isEmpty()) {
      // Opened here, because it may fail.
      var _ = reports();
    }
    return () -> apply(next, opened);
  }

  private synchronized void apply(List<SourceConfig> next, Map<SourceConfig, Delivery> opened) {
    sources = List.copyOf(next);
    if (!started) {
      return;
    }
    var now = new HashMap<String, Running>();
    for (SourceConfig source : next) {
      Delivery delivery = opened.get(source);
      if (delivery != null) {
        now.put(source.key(), start(source, delivery));
      } else if (!(source.rules().writeBack() instanceof WriteBack.Off)) {
        now.put(source.key(), running.get(source.key()));
      }
    }
    running.values().stream()
        .filter(before -> !now.containsValue(before))
        .forEach(before -> before.loop().stop());
    // After the stop: a loop that still runs could write its beginning again.
    next.stream()
        .filter(source -> source.rules().writeBack() instanceof WriteBack.Off)
        .forEach(source -> beginnings.forget(source.key()));
    running = Map.copyOf(now);
  }

  private Running start(SourceConfig source, Delivery delivery) {
    var loop = new WriteBackLoop(clients, source.key(), beginnings, delivery, reports(), nanos);
    return new Running(
        source, loop, Thread.ofVirtual().name("write-back-" + source.key()).start(loop));
  }

  private DeliveryReports reports() {
    if (producer == null) {
      producer =
          clients.producer("write-back", Map.of("buffer.memory", 4L << 20, "max.block.ms", 5_000));
    }
    return new DeliveryReports(producer, clients.topics(), telemetry, clock);
  }

  /** Ends all write-backs; a delivery in progress may finish within 20 s. */
  @Override
  public synchronized void stop() {
    started = false;
    Collection<Running> all = running.values();
    running = Map.of();
    all.forEach(one -> one.loop().stop());
    long end = nanos.getAsLong() + STOP_LIMIT.toNanos();
    try {
      for (Running one : all) {
        Duration left = Duration.ofNanos(Math.max(1, end - nanos.getAsLong()));
        if (!one.thread().join(left)) {
          LOG.warn("write-back of {} did not end within {}", one.config().key(), STOP_LIMIT);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (producer != null) {
      producer.close(Duration.ofSeconds(5));
      producer = null;
    }
  }

  /** Degraded with each source whose analyses cannot be delivered, and the reason. */
  @Override
  public Health health() {
    var conditions = new ArrayList<Health.Condition>();
    new TreeMap<>(running)
        .forEach((source, delivery) ->
            delivery
                .loop()
                .trouble()
                .ifPresent(it ->
                    conditions.add(
                        new Health.Condition(
                            "write-back", source, "source " + source + ": " + it))));
    return Health.degraded(conditions);
  }

  private record Running(SourceConfig config, WriteBackLoop loop, Thread thread) {}
}
