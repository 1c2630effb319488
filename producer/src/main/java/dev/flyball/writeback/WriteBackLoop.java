package dev.flyball.writeback;

import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.writeback.DeliveryQueue.Received;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers one source's analyses to its tracker, in the order and at the times of the {@link
 * DeliveryQueue}. Delivery is at least once: a crash between the tracker's answer and the commit
 * repeats it, and the repeat then finds its own mark.
 */
final class WriteBackLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(WriteBackLoop.class);

  /** How long a read for the next analysis waits, and so how late a stop is noticed at most. */
  private static final Duration LOOK = Duration.ofMillis(500);

  /** The time between two checks whether polls of a tracker are still paused. */
  private static final Duration PAUSE_LOOK = Duration.ofSeconds(5);

  /** The wait after a failure of Kafka before joining the group again. */
  private static final Duration AGAIN = Duration.ofSeconds(2);

  private final String source;
  private final Function<DeliveryQueue, AnalysisReader> readers;
  private final Delivery delivery;
  private final DeliveryReports reports;
  private final LongSupplier nanos;
  private final Supplier<Optional<String>> pause;
  private final DeliveryQueue queue;

  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Why analyses are not delivered; written by the loop, read by health. */
  private volatile @Nullable String trouble;

  /** Whether delivery is paused now; used by the loop only. */
  private boolean resting;

  /**
   * Sends no request yet.
   *
   * @param readers opens a new reader into a queue after Kafka failed
   * @param nanos this process' monotonic clock
   * @param pause why the tracker wants no requests now, one line; empty if it does
   */
  WriteBackLoop(
      String source,
      Function<DeliveryQueue, AnalysisReader> readers,
      Delivery delivery,
      DeliveryReports reports,
      LongSupplier nanos,
      Supplier<Optional<String>> pause) {
    this.source = source;
    this.readers = readers;
    this.delivery = delivery;
    this.reports = reports;
    this.nanos = nanos;
    this.pause = pause;
    this.queue = new DeliveryQueue(now());
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
    queue.clear();
    try (AnalysisReader reader = readers.apply(queue)) {
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
    boolean reads = reader.read(LOOK, now());
    resting = resting && !queue.isEmpty();
    if (reads && !resting) {
      trouble = queue.trouble().orElse(null);
    }
    Optional<Received> next = queue.next(now());
    if (next.isEmpty() || rests(next.get())) {
      return;
    }
    Received received = next.get();
    try {
      String done = delivery.deliver(received.item(), received.analysis(), this::check);
      LOG.info(
          "write-back of {} session={}: {}", received.item(), received.analysis().session(), done);
      if (done.equals(Delivery.SKIPPED)) {
        queue.skipped(received, now());
      } else {
        queue.delivered(received, now());
      }
      reports.delivered(received, done);
      reader.commit();
    } catch (SourceFailure e) {
      failed(reader, received, e.failure());
    } catch (RequestPermission.PermissionLost e) {
      LOG.info("write-back of {} is left for the next start", received.item());
    } catch (KafkaException e) {
      throw e;
    } catch (RuntimeException | StackOverflowError e) {
      LOG.error("write-back of {}", received.item(), e);
      failed(reader, received, TrackerFailure.of(Category.MALFORMED, "internal: " + e));
    }
  }

  /**
   * Whether delivery is paused; logged once when a pause begins, while health always shows how long
   * it still lasts.
   */
  private boolean rests(Received next) {
    Optional<String> why = pause.get();
    if (why.isPresent()) {
      queue.rest(PAUSE_LOOK, now());
      trouble = "write-back of " + next.item() + " waits: " + why.get();
      if (!resting) {
        LOG.info("{}", trouble);
      }
    } else if (resting) {
      LOG.info("write-back of {} goes on", source);
    }
    resting = why.isPresent();
    return resting;
  }

  private void giveUp(AnalysisReader reader, Received received, String reason) {
    reports.givenUp(received, reason);
    queue.givenUp(received);
    reader.commit();
  }

  private void failed(AnalysisReader reader, Received received, TrackerFailure failure) {
    Delivery.Blame blame;
    try {
      blame = delivery.blame(failure, this::check);
    } catch (RequestPermission.PermissionLost e) {
      return;
    }
    if (queue.failed(received, failure, blame, now()).isEmpty()) {
      giveUp(reader, received, failure.reason());
      return;
    }
    reports.failed();
    trouble = queue.trouble().orElse(null);
    LOG.warn("{}", trouble);
  }

  private long now() {
    return nanos.getAsLong();
  }

  private void check() {
    if (stopped()) {
      throw new RequestPermission.PermissionLost("the producer stops");
    }
  }
}
