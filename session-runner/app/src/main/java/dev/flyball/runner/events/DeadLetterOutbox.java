package dev.flyball.runner.events;

import dev.flyball.kafka.DeadLetterPublisher;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes dead letters on a separate thread. A producer's send() blocks for a minute while no broker
 * answers, and the ledger's thread, which finds the unreadable records, has leases to renew.
 */
public final class DeadLetterOutbox implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DeadLetterOutbox.class);
  private static final int ROOM = 10_000;

  /** Pause between two tries, in milliseconds; a try itself waits for a broker. */
  private static final long AGAIN_MS = 200;

  private final DeadLetterPublisher publisher;
  private final LinkedBlockingQueue<Letter> letters = new LinkedBlockingQueue<>(ROOM);
  private final AtomicLong lost = new AtomicLong();
  private final Thread thread;

  private record Letter(ConsumerRecord<String, byte[]> consumed, String reason) {}

  /** Starts the thread that writes dead letters through this publisher. */
  public DeadLetterOutbox(DeadLetterPublisher publisher) {
    this.publisher = publisher;
    this.thread = Thread.ofPlatform().daemon().name("flyball-letters").start(this::empty);
  }

  /**
   * Takes a dead letter without waiting. If the queue is full, it is logged and counted as lost.
   */
  public void post(ConsumerRecord<String, byte[]> consumed, String reason) {
    var letter = new Letter(consumed, reason);
    if (!letters.offer(letter)) {
      lost(letter, "there is no room for more");
    }
  }

  /** How many dead letters could not be written since this process started. */
  public long lost() {
    return lost.get();
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void empty() {
    try {
      while (true) {
        Letter next = letters.take();
        while (!settled(next)) {
          Thread.sleep(AGAIN_MS);
        }
      }
    } catch (InterruptedException e) {
      log.debug("outbox closed: unwritten={}", letters.size());
    }
  }

  /** Whether this dead letter needs no other try: it is written, or no try would write it. */
  private boolean settled(Letter letter) throws InterruptedException {
    try {
      var _ = publisher.publish(letter.consumed(), letter.reason()).get();
      return true;
    } catch (ExecutionException e) {
      return settled(letter, e.getCause() == null ? e : e.getCause());
    } catch (RuntimeException | Error e) {
      // Errors too: if this thread ended, every later dead letter would be lost silently.
      return settled(letter, e);
    }
  }

  private boolean settled(Letter letter, Throwable failure) {
    if (failure instanceof RetriableException || failure instanceof Error) {
      log.warn("dead letter not written yet: cause={}", failure.toString());
      return false;
    }
    lost(letter, failure.toString());
    return true;
  }

  private void lost(Letter letter, String why) {
    lost.incrementAndGet();
    ConsumerRecord<String, byte[]> consumed = letter.consumed();
    log.error(
        "dead letter lost: topic={} partition={} offset={} reason={} cause={}",
        consumed.topic(),
        consumed.partition(),
        consumed.offset(),
        letter.reason(),
        why);
  }
}
