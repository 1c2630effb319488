package dev.flyball.runner.events;

import dev.flyball.kafka.DeadLetterPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
  private final Path file;
  private final Set<String> written;
  private final LinkedBlockingQueue<Letter> letters = new LinkedBlockingQueue<>(ROOM);
  private final AtomicLong lost = new AtomicLong();
  private final Thread thread;

  private record Letter(ConsumerRecord<String, byte[]> consumed, String reason) {}

  /**
   * Starts the thread that writes dead letters through this publisher.
   *
   * @param file remembers which records have their dead letter, because session-requests is read
   *     from its beginning at every start
   */
  public DeadLetterOutbox(DeadLetterPublisher publisher, Path file) {
    this.publisher = publisher;
    this.file = file;
    this.written = remembered(file);
    this.thread = Thread.ofPlatform().daemon().name("flyball-letters").start(this::empty);
  }

  /**
   * Takes a dead letter without waiting. A record that already has a dead letter gets no other. If
   * the queue is full, the dead letter is logged and counted as lost.
   */
  public void post(ConsumerRecord<String, byte[]> consumed, String reason) {
    var letter = new Letter(consumed, reason);
    if (!written.contains(place(consumed)) && !letters.offer(letter)) {
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
      remember(place(letter.consumed()));
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

  private void remember(String place) {
    if (!written.add(place)) {
      return;
    }
    try {
      Files.writeString(file, place + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      log.warn(
          "file not written, the next start repeats a dead letter: path={} cause={}",
          file,
          e.toString());
    }
  }

  private static Set<String> remembered(Path file) {
    Set<String> places = ConcurrentHashMap.newKeySet();
    try {
      if (Files.exists(file)) {
        places.addAll(Files.readAllLines(file));
      }
    } catch (IOException e) {
      log.warn(
          "file cannot be read, dead letters may be repeated: path={} cause={}",
          file,
          e.toString());
    }
    return places;
  }

  /** Includes the record's time, since a topic that is created again begins at offset 0. */
  private static String place(ConsumerRecord<String, byte[]> consumed) {
    return consumed.topic()
        + " "
        + consumed.partition()
        + " "
        + consumed.offset()
        + " "
        + consumed.timestamp();
  }
}
