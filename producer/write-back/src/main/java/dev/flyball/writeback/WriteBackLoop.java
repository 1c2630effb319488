package dev.flyball.writeback;

import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers one source's analyses to its tracker, one after the other. A failed delivery is tried
 * again as long as it takes, at growing intervals; only one that can never succeed becomes a dead
 * letter. Delivery is at least once: a crash between the tracker's answer and the commit repeats
 * it, and the repeat then finds its own mark.
 */
public final class WriteBackLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(WriteBackLoop.class);

  /** How long a read for the next analysis waits, and so how late a stop is noticed at most. */
  private static final Duration LOOK = Duration.ofMillis(500);

  /** The wait after a failure of Kafka before joining the group again. */
  private static final Duration AGAIN = Duration.ofSeconds(2);

  private final String source;
  private final Supplier<AnalysisReader> readers;
  private final Delivery delivery;
  private final DeadLetterPublisher deadLetters;
  private final Telemetry telemetry;
  private final DeliveryPace pace;

  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Why the last delivery failed; written by the loop, read by health. */
  private volatile @Nullable String trouble;

  /** Whether delivery is paused now; used by the loop only. */
  private boolean resting;

  /**
   * Sends no request yet.
   *
   * @param readers opens a new reader after Kafka failed
   * @param pace used by this loop only
   */
  public WriteBackLoop(
      String source,
      Supplier<AnalysisReader> readers,
      Delivery delivery,
      DeadLetterPublisher deadLetters,
      Telemetry telemetry,
      DeliveryPace pace) {
    this.source = source;
    this.readers = readers;
    this.delivery = delivery;
    this.deadLetters = deadLetters;
    this.telemetry = telemetry;
    this.pace = pace;
  }

  @Override
  public void run() {
    try {
      do {
        attempt();
      } while (!stopping.await(AGAIN.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void attempt() {
    try (AnalysisReader reader = readers.get()) {
      while (!stopped()) {
        step(reader);
      }
    } catch (KafkaException e) {
      String reason = reason(e);
      LOG.warn("write-back of {}: {}; joining again", source, reason);
      trouble = "write-back: " + reason;
    } catch (RuntimeException | Error e) {
      // A loop that has ended would look like a source without analyses.
      LOG.error("write-back of {}: beginning again", source, e);
      trouble = "write-back: " + e;
    }
  }

  /**
   * The reason: the consumer wraps exceptions that the reader throws when it is given partitions.
   */
  private static String reason(KafkaException e) {
    return e.getCause() instanceof FirstStarts.Unreadable unreadable
        ? String.valueOf(unreadable.getMessage())
        : "Kafka does not answer: " + e.getMessage();
  }

  /** Ends the loop; a delivery in progress is finished. */
  public void stop() {
    stopping.countDown();
  }

  private boolean stopped() {
    return stopping.getCount() == 0;
  }

  /** What keeps it from delivering, one line; empty if nothing does. */
  public Optional<String> trouble() {
    return Optional.ofNullable(trouble);
  }

  private void step(AnalysisReader reader) {
    AnalysisReader.Received next = reader.next(LOOK);
    if (next == null || !pace.isTime() || rests(next)) {
      return;
    }
    try {
      String done = delivery.deliver(next.item(), next.analysis(), this::check);
      LOG.info("write-back of {} session={}: {}", next.item(), next.analysis().session(), done);
      finish(reader, next, done);
    } catch (SourceFailure e) {
      failed(reader, next, e.failure());
    } catch (RequestPermission.PermissionLost e) {
      LOG.info("write-back of {} is left for the next start", next.item());
    } catch (KafkaException e) {
      throw e;
    } catch (RuntimeException | StackOverflowError e) {
      LOG.error("write-back of {}", next.item(), e);
      failed(reader, next, TrackerFailure.of(Category.MALFORMED, "internal: " + e));
    }
  }

  /**
   * Whether delivery is paused; logged once when a pause begins, while health always shows how long
   * it still lasts.
   */
  private boolean rests(AnalysisReader.Received next) {
    Optional<String> why = pace.leftAlone();
    if (why.isPresent()) {
      trouble = "write-back of " + next.item() + " waits: " + why.get();
      if (!resting) {
        LOG.info("{}", trouble);
      }
    } else if (resting) {
      LOG.info("write-back of {} goes on", source);
      trouble = null;
    }
    resting = why.isPresent();
    return resting;
  }

  private void finish(AnalysisReader reader, AnalysisReader.Received received, String outcome) {
    telemetry.count(Metric.WRITE_BACKS, outcome);
    pace.told();
    trouble = null;
    reader.done(received);
  }

  private void failed(
      AnalysisReader reader, AnalysisReader.Received received, TrackerFailure failure) {
    Duration wait = pace.failed(failure);
    if (delivery.hopeless(failure, pace.failures(), this::check)) {
      deadLetters.giveUp(received.record(), "not written back: " + failure.reason());
      telemetry.count(Metric.DEAD_LETTERS);
      finish(reader, received, "dead");
      return;
    }
    telemetry.count(Metric.WRITE_BACKS, "failed");
    trouble =
        "write-back of "
            + received.item()
            + " waits "
            + wait.toSeconds()
            + "s: "
            + failure.reason();
    LOG.warn("{}", trouble);
  }

  private void check() {
    if (stopped()) {
      throw new RequestPermission.PermissionLost("the producer stops");
    }
  }
}
