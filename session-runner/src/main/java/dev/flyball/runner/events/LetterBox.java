package dev.flyball.runner.events;

import dev.flyball.kafka.DeadLetterPublisher;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes dead letters on a thread of its own: a producer's send() blocks for a minute while no
 * broker answers, and the ledger's thread, which finds the unreadable records, has leases to renew.
 */
public final class LetterBox implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LetterBox.class);
  private static final int ROOM = 10_000;

  private final DeadLetterPublisher publisher;
  private final LinkedBlockingQueue<Letter> letters = new LinkedBlockingQueue<>(ROOM);
  private final Thread thread;

  private record Letter(ConsumerRecord<String, byte[]> consumed, String reason) {}

  /** A box that is emptied through this publisher. */
  public LetterBox(DeadLetterPublisher publisher) {
    this.publisher = publisher;
    this.thread = Thread.ofPlatform().daemon().name("flyball-letters").start(this::empty);
  }

  /** Takes a letter and returns at once; one for which there is no room is logged. */
  public void post(ConsumerRecord<String, byte[]> consumed, String reason) {
    if (!letters.offer(new Letter(consumed, reason))) {
      log.warn(
          "no room for a dead letter: {}-{} offset {}: {}",
          consumed.topic(),
          consumed.partition(),
          consumed.offset(),
          reason);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void empty() {
    try {
      while (true) {
        send(letters.take());
      }
    } catch (InterruptedException e) {
      log.debug("letter box closed with {} letters in it", letters.size());
    }
  }

  private void send(Letter letter) {
    try {
      var _ = publisher.publish(letter.consumed(), letter.reason());
    } catch (RuntimeException | Error e) {
      // Errors too: with this thread every later letter would be lost silently.
      ConsumerRecord<String, byte[]> consumed = letter.consumed();
      log.warn(
          "dead letter not written: {}-{} offset {}: {}",
          consumed.topic(),
          consumed.partition(),
          consumed.offset(),
          e.toString());
    }
  }
}
