package dev.flyball.streams;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
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
import java.util.function.Supplier;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp;
import org.jspecify.annotations.Nullable;
import org.rocksdb.NativeLibraryLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs one topology with one stream thread, exactly once. A thread that dies is replaced after a
 * pause that grows with each death in a row, so that neither a fault that passes nor one that stays
 * needs an operator to start it again.
 */
public final class StreamApp {
  private static final Logger LOG = LoggerFactory.getLogger(StreamApp.class);

  /**
   * From this death in a row on, an operator reads of it on the terminal, not only in health and in
   * the log file: the few before it also come when Kafka itself is about to stop, which has a line.
   */
  private static final int LOUD = 5;

  private final KafkaClients clients;
  private final StreamSettings settings;

  /** Written by dying stream threads and by state changes; read by health(). */
  private final AtomicReference<@Nullable String> fault = new AtomicReference<>();

  /** Guarded by itself, because each dying thread uses it. */
  private final ThreadDeaths deaths = new ThreadDeaths();

  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Written by start(), read by all. */
  private volatile @Nullable KafkaStreams streams;

  /** Opens nothing before {@link #start}. */
  public StreamApp(KafkaClients clients, StreamSettings settings) {
    this.clients = clients;
    this.settings = settings;
  }

  /**
   * Starts the topology. Does nothing, and builds none, if it was started or stopped before.
   *
   * @param topology builds it, and prepares what it needs; asked once
   * @throws StartFailure if the folder of the stores cannot be used
   */
  public synchronized void start(Supplier<Topology> topology) {
    if (streams != null || stopping.getCount() == 0) {
      return;
    }
    try {
      Files.createDirectories(settings.folder());
    } catch (IOException e) {
      throw new StartFailure(
          "cannot use "
              + settings.folder()
              + ": "
              + e.getMessage()
              + "; choose a writable --data folder",
          e);
    }
    loadRocksDb(settings.folder());
    var made = new KafkaStreams(topology.get(), properties());
    made.setUncaughtExceptionHandler(this::died);
    made.setStateListener((now, before) -> {
      if (now == KafkaStreams.State.RUNNING) {
        fault.set(null);
      }
    });
    streams = made;
    made.start();
  }

  /**
   * Loads RocksDB from a copy in this folder and deletes the copy, as SQLite's is (Database): by
   * itself it keeps 15 MB in the system's folder for temporary files, where a process that is
   * killed leaves them.
   */
  private static void loadRocksDb(Path folder) {
    try {
      NativeLibraryLoader.getInstance().loadLibrary(folder.toString());
    } catch (IOException | RuntimeException | LinkageError notFromThisFolder) {
      // It may be mounted without the right to execute: RocksDB tries the system's folder next.
    }
    try (var copies = Files.newDirectoryStream(folder, "librocksdbjni*")) {
      for (Path copy : copies) {
        Files.deleteIfExists(copy);
      }
    } catch (IOException | DirectoryIteratorException mayBeDeletedLater) {
      // The next process over this folder tries again.
    }
  }

  /** Stops and waits until its threads have ended, up to the limit. */
  public synchronized void stop(Duration limit) {
    stopping.countDown();
    KafkaStreams running = streams;
    if (running != null) {
      running.close(limit);
    }
  }

  /**
   * The health of what other parts wait for: not ready while it restores its stores, and halted
   * where only a new process helps. Any thread.
   */
  public Health health() {
    KafkaStreams running = streams;
    String title = settings.title();
    if (running == null) {
      return Health.starting(title + ": not started");
    }
    String why = fault.get();
    return switch (running.state()) {
      case RUNNING -> why == null ? Health.healthy() : Health.degraded(title + ": " + why);
      case CREATED, REBALANCING ->
          why == null
              ? Health.starting(title + ": restoring its stores")
              : Health.unhealthy(title + ": " + why);
      case PENDING_ERROR, ERROR ->
          Health.halted(title + " stopped: " + (why == null ? "see the log" : why));
      case PENDING_SHUTDOWN, NOT_RUNNING -> Health.starting(title + ": stopped");
    };
  }

  /** Kafka's own figures of the running app and its clients; empty before the start. */
  public Collection<? extends Metric> metrics() {
    KafkaStreams running = streams;
    return running == null ? List.of() : running.metrics().values();
  }

  /** Runs in the dying thread, which ends only after this returns, so the pause is taken here. */
  private StreamThreadExceptionResponse died(Throwable why) {
    // Kafka Streams throws the error again. It silences that only for the threads of the start: the
    // end of each later one would be a stack trace on the terminal.
    Thread.currentThread().setUncaughtExceptionHandler((thread, again) -> {});
    Throwable root = why;
    for (int depth = 0; depth < 20 && root.getCause() != null; depth++) {
      root = root.getCause();
    }
    fault.set(root.getClass().getSimpleName() + ": " + root.getMessage());
    if (settings.hopeless().test(root)) {
      LOG.error("{} stops: {}", settings.title(), root.getMessage());
      return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }
    int row;
    long pause;
    synchronized (deaths) {
      pause = deaths.died(System.nanoTime());
      row = deaths.row();
    }
    boolean denied = root instanceof AuthorizationException;
    if (denied && row == 1) {
      // An operator must act, and one line is enough: it continues when the right is there.
      LOG.error(
          "{}: {}; give this login the rights that `./flyball topics --print-acls` prints",
          settings.title(),
          root.getMessage());
    }
    LOG.atLevel(settings.waitedFor() && row >= LOUD && !denied ? Level.ERROR : Level.WARN)
        .setCause(why)
        .log(
            "{}: its thread died and is replaced: deathsInARow={} pauseMs={}",
            settings.title(),
            row,
            pause);
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
    Map<String, Object> ours = new HashMap<>();
    ours.put(StreamsConfig.APPLICATION_ID_CONFIG, settings.applicationId());
    ours.put(StreamsConfig.STATE_DIR_CONFIG, settings.folder().toAbsolutePath().toString());
    ours.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    // In the newer protocol a broker keeps a group's topology for ever, and rejects the members of
    // a
    // version with another one.
    ours.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, "classic");
    // The default extractor ends the stream at a record with a negative time, and again after each
    // restart.
    ours.put(
        StreamsConfig.DEFAULT_TIMESTAMP_EXTRACTOR_CLASS_CONFIG,
        UsePartitionTimeOnInvalidTimestamp.class.getName());
    ours.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, clients.settings().replication());
    ours.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
    ours.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
    var all = new Properties();
    all.putAll(clients.streamsProperties(defaults(), ours));
    return all;
  }

  /** Values that cost or save something; the configuration may change them. */
  private Map<String, Object> defaults() {
    Map<String, Object> all = new HashMap<>();
    all.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, settings.commitInterval().toMillis());
    all.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, SmallStores.class.getName());
    // A commit sends all that waits, and no consumer reads a record before it: batches of records
    // delay nothing, and take less time of the broker than single ones.
    all.put(StreamsConfig.producerPrefix("linger.ms"), "20");
    // A frozen broker is asked several times in a row: for metadata, offsets and records.
    all.put("request.timeout.ms", "5000");
    // 45 s by default. The tasks of a killed app wait so long for the next one.
    all.put(StreamsConfig.consumerPrefix("session.timeout.ms"), "6000");
    all.put(StreamsConfig.consumerPrefix("heartbeat.interval.ms"), "2000");
    // By default a thread that ends stays in its group, and its successor waits for its timeout.
    all.put(StreamsConfig.consumerPrefix("internal.leave.group.on.close"), true);
    // An answer must be complete by then, on a link of 7 Mbit/s too. 50 MB by default.
    all.put(StreamsConfig.consumerPrefix("fetch.max.bytes"), "4194304");
    all.putAll(settings.properties());
    return all;
  }
}
