package dev.flyball.ops.console.projection;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.ConsoleConfig;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.ops.telemetry.Telemetry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The console's one thread: reads Kafka, folds into the projection, shows the figures. After any
 * error it begins again from what is committed and reports the error in its health.
 */
public final class Projector implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Projector.class);
  private static final Duration IDLE = Duration.ofMillis(250);
  private static final Duration RETRY = Duration.ofSeconds(2);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(15);

  private final KafkaClients clients;
  private final Figures figures;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread = Thread.ofPlatform().daemon().name("console").unstarted(this::run);

  /** Done when the projection is up to date; any thread asks, the console's answers. */
  private final AtomicReference<@Nullable CompletableFuture<Void>> asked = new AtomicReference<>();

  private @Nullable CompletableFuture<Void> taken;

  /** How often the projection was changed; counted by the console's thread. */
  private final AtomicLong commits = new AtomicLong();

  /** Whether Kafka was read since the start; until then its silence is not degraded. */
  private boolean reached;

  /** The current health; written by the console's thread. */
  private volatile Health health = Health.starting("Kafka is not reached yet");

  /** Replaced by the console's thread where the file is damaged; closed after that has ended. */
  private volatile Projection projection;

  private Projector(KafkaClients clients, Projection projection, Figures figures) {
    this.clients = clients;
    this.projection = projection;
    this.figures = figures;
  }

  /**
   * Opens the projection; nothing is read before {@link #start}.
   *
   * @throws StartFailure if the folder cannot be used
   */
  public static Projector open(ConsoleConfig config, KafkaSettings kafka, Telemetry telemetry) {
    var projection = new Projection(config.data(), config.timeline(), ConsoleConfig.SESSIONS);
    return new Projector(
        new KafkaClients(kafka, "console"), projection, new Figures(telemetry, config.reserves()));
  }

  /** Starts the thread; may be called once. */
  public void start() {
    thread.start();
  }

  /** The current health. */
  public Health health() {
    return health;
  }

  /** How often the projection was changed since this was opened. */
  public long commits() {
    return commits.get();
  }

  /** Waits until all that Kafka holds now is in the projection; false if not within the limit. */
  public boolean catchUp(Duration limit) {
    var request = asked.updateAndGet(other -> other == null ? new CompletableFuture<>() : other);
    try {
      Objects.requireNonNull(request).get(limit.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException | ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    stopping.countDown();
    try {
      thread.join(STOP_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.getState() == Thread.State.NEW || !thread.isAlive()) {
      projection.close();
    }
  }

  private void run() {
    try {
      do {
        follow();
      } while (!stopping.await(RETRY.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reads until it is stopped or an error occurs. */
  private void follow() {
    try (var feed = new ProjectionInput(clients, projection, figures::buried)) {
      while (stopping.getCount() > 0) {
        feed.poll(IDLE);
        figures.behind(feed.lag());
        if (feed.commit(taken != null || asked.get() != null)) {
          commits.incrementAndGet();
        }
        figures.behind(feed.lag());
        reached = true;
        health = feed.health(Instant.now()).and(figures.show(projection.figure(), feed.ledger()));
        answer(feed);
        feed.writeMetrics(Instant.now(), false);
      }
      feed.writeMetrics(Instant.now(), true);
    } catch (OffsetOutOfRangeException e) {
      health = Health.starting("a topic no longer has the record to be read next");
      LOG.warn("console: {}; looking where to go on", e.getMessage());
    } catch (KafkaException e) {
      String line = "Kafka does not answer: " + e.getMessage();
      health = reached ? silent(line) : Health.starting(line);
      LOG.warn("console: {}; trying again", e.getMessage());
    } catch (RuntimeException | Error e) {
      // Errors too: without this thread the page would go on showing old figures.
      health = Health.unhealthy("console", "console: " + e.getMessage());
      LOG.warn("console: {}; trying again", e.getMessage(), e);
      if (ProjectionFile.damaged(e)) {
        rebuild();
      }
    }
  }

  /** Makes a damaged file again; if that fails, the next round reports it. */
  private void rebuild() {
    try {
      projection = projection.rebuilt();
      LOG.warn("console: rebuilding the projection from Kafka");
    } catch (StartFailure e) {
      LOG.warn("console: {}; trying again", e.getMessage());
    }
  }

  /** Takes a request up, or answers the one that was. */
  private void answer(ProjectionInput feed) {
    if (taken == null) {
      taken = asked.getAndSet(null);
    }
    if (taken != null && feed.caughtUp()) {
      taken.complete(null);
      taken = null;
    }
  }

  /** What is shown is old. */
  static Health silent(String line) {
    return new Health(Health.Status.DEGRADED, false, List.of(new Health.Condition("kafka", line)));
  }
}
