package dev.flyball.ops.console.metrics.stream;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the metrics topic. Nothing waits for it: while it cannot, health is degraded, and it
 * counts what it missed afterwards. A stream thread that dies is replaced after a pause.
 */
public final class MetricsService implements Service {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsService.class);
  private static final Duration TICK = Duration.ofSeconds(2);
  private static final Duration COMMIT = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofSeconds(5);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
  private static final long CACHE_BYTES = 2L << 20;

  private final KafkaClients clients;
  private final Path folder;
  private final Duration tick;

  /** Written by dying stream threads and by state changes; read by health(). */
  private final AtomicReference<@Nullable String> fault = new AtomicReference<>();

  private final CountDownLatch stopping = new CountDownLatch(1);
  private volatile @Nullable KafkaStreams streams;

  /**
   * Nothing is opened before {@link #start}.
   *
   * @param folder the folder of the store; made if missing
   */
  public MetricsService(KafkaClients clients, Path folder) {
    this(clients, folder, TICK);
  }

  /**
   * The same for tests.
   *
   * @param tick how often changed windows are written
   */
  MetricsService(KafkaClients clients, Path folder, Duration tick) {
    this.clients = clients;
    this.folder = folder;
    this.tick = tick;
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
    var made = new KafkaStreams(MetricsTopology.build(clients.topics(), tick), properties());
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
    KafkaStreams running = streams;
    if (running != null) {
      running.close(CLOSE_LIMIT);
    }
  }

  @Override
  public Health health() {
    KafkaStreams running = streams;
    String why = fault.get();
    if (why != null) {
      return Health.degraded("metrics topic: " + why);
    }
    return running != null && running.state() == KafkaStreams.State.ERROR
        ? Health.degraded("metrics topic: the fold has stopped; see the log")
        : Health.healthy();
  }

  /** Runs in the dying thread, which ends only after this returns, so the pause is taken here. */
  private StreamThreadExceptionResponse died(Throwable why) {
    Throwable root = why;
    for (int depth = 0; depth < 20 && root.getCause() != null; depth++) {
      root = root.getCause();
    }
    fault.set(root.getClass().getSimpleName() + ": " + root.getMessage());
    // Health says it to operators. It is no error of theirs to act on: nothing waits for the fold.
    LOG.warn("the metrics fold died and starts again: pauseMs={}", PAUSE.toMillis(), why);
    // Kafka Streams throws the error again. It silences that only for the threads of the start: the
    // end of each later one would be a stack trace on the terminal.
    Thread.currentThread().setUncaughtExceptionHandler((thread, again) -> {});
    try {
      if (stopping.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
        return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return StreamThreadExceptionResponse.REPLACE_THREAD;
  }

  private Properties properties() {
    Map<String, Object> ours = new HashMap<>();
    ours.put(StreamsConfig.APPLICATION_ID_CONFIG, clients.topics().metricsApplicationId());
    ours.put(StreamsConfig.STATE_DIR_CONFIG, folder.toAbsolutePath().toString());
    ours.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    ours.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, "streams");
    // The default extractor ends the stream at a record with a negative time, and again after each
    // restart.
    ours.put(
        StreamsConfig.DEFAULT_TIMESTAMP_EXTRACTOR_CLASS_CONFIG,
        UsePartitionTimeOnInvalidTimestamp.class.getName());
    ours.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, clients.settings().replication());
    ours.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
    ours.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, COMMIT.toMillis());
    // Records end a wait early; without any, nothing has to be done sooner.
    ours.put(StreamsConfig.POLL_MS_CONFIG, COMMIT.toMillis());
    ours.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, CACHE_BYTES);
    ours.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, TinyStore.class.getName());
    ours.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
    // An idle broker answers each fetch after this time, with nothing; half a second by default.
    ours.put(StreamsConfig.mainConsumerPrefix("fetch.max.wait.ms"), "2000");
    ours.put(StreamsConfig.producerPrefix("linger.ms"), "20");
    var all = new Properties();
    all.putAll(clients.streamsProperties(ours));
    return all;
  }
}
