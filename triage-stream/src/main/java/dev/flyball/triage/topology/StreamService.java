package dev.flyball.triage.topology;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.Options;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs the topology with one stream thread, exactly once. A thread that dies is replaced after a
 * pause that grows with each death in a row, so that neither a fault that passes nor one that stays
 * needs an operator to start it again.
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

  /** Written by dying stream threads and by state changes; read by health(). */
  private final AtomicReference<@Nullable String> fault = new AtomicReference<>();

  /** Guarded by itself, because each dying thread uses it. */
  private final ThreadDeaths deaths = new ThreadDeaths();

  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Written by start(), read by all. */
  private volatile @Nullable KafkaStreams streams;

  /**
   * @param folder the folder of the stores; created if missing
   */
  public StreamService(KafkaClients clients, TriageTopology.Settings topology, Path folder) {
    this.clients = clients;
    this.topology = topology;
    this.folder = folder;
  }

  /**
   * Does nothing if it was started or stopped before.
   *
   * @throws StartFailure if the folder of the stores cannot be used
   */
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
    loadRocksDb(folder);
    var made = new KafkaStreams(TriageTopology.build(topology), properties(clients, folder));
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

  @Override
  public synchronized void stop() {
    stopping.countDown();
    KafkaStreams running = streams;
    if (running != null) {
      running.close(CLOSE_LIMIT);
    }
  }

  /**
   * The health of what other parts wait for: not ready while it restores its stores, and halted
   * where only a new process helps. Any thread.
   */
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
              ? lagging(running.metrics().values())
              : Health.degraded("triage-stream", "triage stream: " + why);
      case CREATED, REBALANCING ->
          why == null
              ? Health.starting("triage stream: restoring its stores")
              : Health.unhealthy("triage-stream", "triage stream: " + why);
      case PENDING_ERROR, ERROR ->
          Health.halted("triage stream stopped: " + (why == null ? "see the log" : why));
      case PENDING_SHUTDOWN, NOT_RUNNING -> Health.starting("triage stream: stopped");
    };
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
        ? Health.degraded("triage-lag", "triage stream: " + Math.round(lag) + " records behind")
        : Health.healthy();
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
    if (root instanceof LedgerFold.LedgerFault) {
      LOG.error("triage stream stops: {}", root.getMessage());
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
          "triage stream: {}; give this login the rights that `./flyball topics --print-acls`"
              + " prints",
          root.getMessage());
    }
    LOG.atLevel(row >= LOUD && !denied ? Level.ERROR : Level.WARN)
        .setCause(why)
        .log(
            "triage stream: its thread died and is replaced: deathsInARow={} pauseMs={}",
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

  /** The properties of Kafka Streams and of its clients. */
  public static Properties properties(KafkaClients clients, Path folder) {
    Map<String, Object> ours = new HashMap<>();
    ours.put(StreamsConfig.APPLICATION_ID_CONFIG, clients.topics().applicationId());
    ours.put(StreamsConfig.STATE_DIR_CONFIG, folder.toAbsolutePath().toString());
    ours.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    // In the newer protocol a broker keeps a group's topology for ever, and rejects the members of
    // a version with another one.
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
  private static Map<String, Object> defaults() {
    Map<String, Object> all = new HashMap<>();
    // How long a decision may wait until other apps see it.
    all.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100L);
    // Records end a wait early, but a commit that became due meanwhile comes after it. Each round
    // of an idle stream asks for the lag of every partition: 100 ms by default.
    all.put(StreamsConfig.POLL_MS_CONFIG, 300);
    all.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    all.put(StreamsConfig.producerPrefix("batch.size"), "131072");
    // Half a second by default; a stop waits for it.
    all.put(StreamsConfig.mainConsumerPrefix("fetch.max.wait.ms"), "1000");
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
    return all;
  }

  /**
   * Decides how long a stream thread that died waits before it is replaced: twice as long after
   * each death in a row. Deaths that are far apart have separate causes, so a thread that lived for
   * long begins a new row. Pure; one thread at a time.
   */
  static final class ThreadDeaths {
    private static final long FIRST_MS = 200;
    private static final long LONGEST_MS = 10_000;
    private static final int MOST_DOUBLED = 6;

    /** Well above the longest pause and the time that restoring stores takes. */
    private static final long ROW_NANOS = Duration.ofMinutes(10).toNanos();

    private int row;
    private long lastNanos;

    /**
     * Records one more death.
     *
     * @param nowNanos from a clock that is never set
     * @return milliseconds to wait
     */
    long died(long nowNanos) {
      row = row > 0 && nowNanos - lastNanos < ROW_NANOS ? row + 1 : 1;
      lastNanos = nowNanos;
      return Math.min(FIRST_MS << Math.min(row - 1, MOST_DOUBLED), LONGEST_MS);
    }

    /** Deaths in the present row. */
    int row() {
      return row;
    }
  }

  /** Bounds RocksDB: by default 50 MB of cache and 32 MB of buffers a store and partition. */
  public static final class SmallStores implements RocksDBConfigSetter {
    private static final long CACHE_BYTES = 2L << 20;
    private static final long BUFFER_BYTES = 1L << 20;

    /** Called by Kafka Streams, which finds this class by its name. */
    public SmallStores() {}

    @Override
    @SuppressWarnings(
        "deprecation") // Streams passes the table config that it made, with its own cache.
    public void setConfig(String store, Options options, Map<String, Object> configs) {
      var table = (BlockBasedTableConfig) options.tableFormatConfig();
      table.setBlockCacheSize(CACHE_BYTES);
      table.setCacheIndexAndFilterBlocks(true);
      options.setTableFormatConfig(table);
      options.setWriteBufferSize(BUFFER_BYTES);
      options.setMaxWriteBufferNumber(2);
    }

    @Override
    public void close(String store, Options options) {}
  }
}
