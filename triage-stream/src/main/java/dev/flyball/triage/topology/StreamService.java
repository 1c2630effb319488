package dev.flyball.triage.topology;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.Metric;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs the topology. A stream thread that dies is replaced after a pause that grows with each death
 * in a row.
 */
public final class StreamService implements Service {
  private static final Logger LOG = LoggerFactory.getLogger(StreamService.class);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(20);

  /** Records behind from which health is degraded. */
  private static final double LAGGING = 10_000;

  /**
   * From this death in a row on, an operator reads of it on the terminal, not only in health and in
   * the log file: the few before it also come when Kafka itself is about to stop, which has a line.
   */
  private static final int LOUD = 5;

  private final KafkaClients clients;
  private final TriageTopology.Settings topology;
  private final Path folder;
  private final Duration commitInterval;

  /** Written by dying stream threads and by state changes; read by health(). */
  private final AtomicReference<@Nullable String> fault = new AtomicReference<>();

  /** Guarded by itself, because each dying thread uses it. */
  private final ThreadDeaths deaths = new ThreadDeaths();

  private final CountDownLatch stopping = new CountDownLatch(1);
  private volatile @Nullable KafkaStreams streams;
  private final RequestsWatch watch;

  /** Written by start(), read by health(). */
  private volatile List<String> gaps = List.of();

  /**
   * @param folder the folder of the stores; created if missing
   */
  public StreamService(
      KafkaClients clients,
      TriageTopology.Settings topology,
      Path folder,
      Duration commitInterval) {
    this.clients = clients;
    this.topology = topology;
    this.folder = folder;
    this.commitInterval = commitInterval;
    this.watch = new RequestsWatch(clients, topology.meters()::lost);
  }

  @Override
  public synchronized void start() {
    if (streams != null || stopping.getCount() == 0) {
      return;
    }
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new StartFailure(
          "cannot use " + folder + ": " + e.getMessage() + "; choose a writable --data folder", e);
    }
    Topology built = TriageTopology.build(topology, watch);
    StreamGroup.ready(clients, built);
    gaps = ReadGaps.find(clients, TriageTopology.inputs(clients.topics()));
    gaps.forEach(gap -> LOG.error("records are missing: {}", gap));
    watch.start();
    var made = new KafkaStreams(built, properties());
    made.setUncaughtExceptionHandler(this::died);
    made.setStateListener((now, before) -> {
      if (now == KafkaStreams.State.RUNNING) {
        fault.set(null);
      }
    });
    streams = made;
    made.start();
  }

  @Override
  public synchronized void stop() {
    stopping.countDown();
    watch.stop();
    KafkaStreams running = streams;
    if (running != null) {
      running.close(CLOSE_LIMIT);
    }
  }

  @Override
  public Health health() {
    KafkaStreams running = streams;
    if (running == null) {
      return Health.starting("triage stream: not started");
    }
    String why = fault.get();
    return switch (running.state()) {
      case RUNNING ->
          why == null
              ? lagging(running.metrics().values()).and(missing()).and(watch.health())
              : Health.degraded("triage stream: " + why);
      case CREATED, REBALANCING ->
          why == null
              ? Health.starting("triage stream: restoring its stores")
              : Health.unhealthy("triage stream: " + why);
      case PENDING_ERROR, ERROR ->
          Health.halted("triage stream stopped: " + (why == null ? "see the log" : why));
      case PENDING_SHUTDOWN, NOT_RUNNING -> Health.starting("triage stream: stopped");
    };
  }

  /**
   * Degraded until the next start: an operator has to see the gap, and nothing else remembers it.
   */
  private Health missing() {
    List<String> lines = gaps;
    return lines.isEmpty()
        ? Health.healthy()
        : Health.degraded(
            "triage stream: "
                + lines.getFirst()
                + (lines.size() == 1 ? "" : "; " + (lines.size() - 1) + " more in the log"));
  }

  /**
   * Judges by the present lag of each partition. The metric of the largest lag keeps its value for
   * a minute after every record was read.
   */
  static Health lagging(Collection<? extends Metric> metrics) {
    double lag =
        metrics.stream()
            .filter(metric -> metric.metricName().name().equals("records-lag"))
            .map(Metric::metricValue)
            .filter(Double.class::isInstance)
            .mapToDouble(Double.class::cast)
            .filter(Double::isFinite)
            .max()
            .orElse(0);
    return lag > LAGGING
        ? Health.degraded("triage stream: " + Math.round(lag) + " records behind")
        : Health.healthy();
  }

  /** Runs in the dying thread, which ends only after this returns, so the pause is taken here. */
  private StreamThreadExceptionResponse died(Throwable why) {
    Throwable root = why;
    for (int depth = 0; depth < 20 && root.getCause() != null; depth++) {
      root = root.getCause();
    }
    fault.set(root.getClass().getSimpleName() + ": " + root.getMessage());
    if (root instanceof UnknownLedgerRules
        || root instanceof RecreatedLedger
        || root instanceof LedgerStartMissing) {
      LOG.error("triage stream stops: {}", root.getMessage());
      return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }
    int row;
    long pause;
    synchronized (deaths) {
      pause = deaths.died(System.nanoTime());
      row = deaths.row();
    }
    LOG.atLevel(row < LOUD ? Level.WARN : Level.ERROR)
        .setCause(why)
        .log("stream thread died and is replaced: deathsInARow={} pauseMs={}", row, pause);
    // Kafka Streams throws the error again. It silences that only for the threads of the start: the
    // end of each later one would be a stack trace on the terminal.
    Thread.currentThread().setUncaughtExceptionHandler((thread, again) -> {});
    try {
      if (stopping.await(pause, TimeUnit.MILLISECONDS)) {
        return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return StreamThreadExceptionResponse.REPLACE_THREAD;
  }

  private Properties properties() {
    Map<String, Object> defaults = new HashMap<>();
    defaults.put(StreamsConfig.APPLICATION_ID_CONFIG, clients.topics().applicationId());
    defaults.put(StreamsConfig.STATE_DIR_CONFIG, folder.toAbsolutePath().toString());
    defaults.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    defaults.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, "streams");
    // The default extractor ends the stream at a record with a negative time, and again after each
    // restart.
    defaults.put(
        StreamsConfig.DEFAULT_TIMESTAMP_EXTRACTOR_CLASS_CONFIG,
        UsePartitionTimeOnInvalidTimestamp.class.getName());
    defaults.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, clients.settings().replication());
    defaults.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
    defaults.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, commitInterval.toMillis());
    defaults.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    defaults.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, SmallStores.class.getName());
    defaults.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
    defaults.put(
        StreamsConfig.mainConsumerPrefix("interceptor.classes"), IgnoredEvents.class.getName());
    defaults.put(
        StreamsConfig.mainConsumerPrefix(IgnoredEvents.TOPIC), clients.topics().sessionEvents());
    // A commit sends all that waits, and no consumer reads a record before it: batches of records
    // delay nothing, and take less time of the broker than single ones.
    defaults.put(StreamsConfig.producerPrefix("linger.ms"), "20");
    defaults.put(StreamsConfig.producerPrefix("batch.size"), "131072");
    var all = new Properties();
    all.putAll(clients.streamsProperties(defaults));
    return all;
  }
}
